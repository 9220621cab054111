import Foundation
import Testing

@testable import lifecycled

/// Every `lifecycled run` of the README is a command line that can be understood, and that makes a unit file.
@Suite("The README's run lines", .timeLimit(.minutes(5)))
struct ReadmeRunLinesTests {
  private static let root = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../..").standardized

  /// What stands between backquotes, or on a line of its own.
  private static func lines() throws -> [String] {
    let text = try String(contentsOf: root.appending(path: "README.md"), encoding: .utf8)
    return text.split(separator: "\n").flatMap { line in
      line.hasPrefix("lifecycled run ") ? [String(line)] : line.split(separator: "`").map(String.init)
    }.filter { $0.hasPrefix("lifecycled run -") }
  }

  @Test("Each is read as run and, but for programs that are typed by name, as unit")
  func read() throws {
    let lines = try Self.lines()
    #expect(lines.count >= 11)
    for line in lines {
      // Quoted for a shell, which here is as a unit file has it.
      let words = try #require(CommandSplitter.split(line).commands.first).dropFirst()
      let invocation = try Invocation(parsing: Array(words))
      guard case .run(let options) = invocation else {
        Issue.record("\(line) is no run")
        continue
      }
      #expect(options.program.readiness != nil)
      if !options.program.command.program.hasPrefix("/") { continue }
      let unit = try UnitCommand.lines(for: options, executable: "/usr/bin/lifecycled") { _ in nil }
      #expect(unit.contains { $0.hasPrefix("ExecStart=/usr/bin/lifecycled run ") && $0.contains("--ready=") })
    }
  }

  @Test("The program that it shows has no fault, and stands in the README as in its file")
  func example() throws {
    let path = "Examples/Programs/20-web.process"
    let text = try String(contentsOf: Self.root.appending(path: path), encoding: .utf8)
    let configuration = MemoryFolders(["/c/20-web.process": text]).load(.only("/c"))
    #expect(configuration.findings.all.isEmpty)
    #expect(configuration.programs.first?.readiness == .http(host: "127.0.0.1", port: 8000, path: "/"))
    let readme = try String(contentsOf: Self.root.appending(path: "README.md"), encoding: .utf8)
    #expect(readme.contains("<!-- \(path) -->\n```ini\n\(text)```\n"))
  }
}
