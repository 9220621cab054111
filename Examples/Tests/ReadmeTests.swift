/// What README.md names is there, and what it promises of itself is so.
import Foundation
import Mediator
import Testing

@Suite(.timeLimit(.minutes(1)))
struct ReadmeTests {
  let readme: Page

  init() throws { readme = try Page("README.md") }

  @Test("it shows how to depend on the package once, and much else")
  func blocks() {
    let blocks = readme.blocks(in: "swift") + readme.blocks(in: "ini")
    #expect(blocks.count >= 7)
    #expect(blocks.count { $0.origin == "Tests/Consumer/run" } == 1)
    #expect(!blocks.contains { $0.origin != "Tests/Consumer/run" && $0.text.contains(".package(url:") })
  }

  @Test("the first block of Swift is a whole program of at most 25 lines, on the first screen")
  func firstProgram() throws {
    let program = try #require(readme.blocks(in: "swift").first)
    #expect(program.origin == "Examples/HelloDaemon/Main.swift")
    #expect(program.text.split(separator: "\n", omittingEmptySubsequences: false).count - 1 <= 25)
    #expect(program.line <= 25)
  }

  @Test("every link leads to a file, and every target of make exists")
  func names() throws {
    #expect(readme.localLinks.count >= 3)
    for link in readme.localLinks {
      #expect(FileManager.default.fileExists(atPath: Page.root.appending(path: link).path), "\(link)")
    }
    let makefile = try String(contentsOf: Page.root.appending(path: "Makefile"), encoding: .utf8)
    #expect(readme.makeTargets.isSuperset(of: ["run", "test", "release", "install"]))
    for target in readme.makeTargets {
      #expect(makefile.contains("\n\(target):"), "make \(target)")
    }
  }

  @Test("the table of events names each event", arguments: LifecycleEvent.allCases)
  func events(event: LifecycleEvent) {
    #expect(readme.text.contains("`\(event.rawValue)`"))
  }
}
