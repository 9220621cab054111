/// What README.md and the documentation's articles show is what was compiled and run.
import Foundation
import Mediator
import Testing

@Suite(.timeLimit(.minutes(1)))
struct PageTests {
  @Test("the pages are README.md and the articles of three libraries")
  func all() {
    #expect(Page.files.first == "README.md")
    for library in ["Mediator", "MediatorBridge", "MediatorTestKit"] {
      #expect(Page.files.contains("Sources/\(library)/\(library).docc/\(library).md"))
    }
  }

  @Test("every block of code is the whole content of the file that is named above it", arguments: Page.files)
  func blocks(file: String) throws {
    let page = try Page(file)
    #expect(page.strayFences == [], "\(file): a fence that this test does not see through")
    for block in page.blocks {
      switch block.language {
      case "swift", "ini": break
      case "sh", "text": continue  // nothing that could be compiled
      default: Issue.record("\(file):\(block.line): a block in \(block.language)")
      }
      let origin = try #require(block.origin, "\(file):\(block.line): no <!-- FILE --> above this block")
      // What Tests/Consumer/run takes out of README.md and builds with.
      if origin == "Tests/Consumer/run", file == "README.md" { continue }
      #expect(origin.hasPrefix("Examples/"), "\(file):\(block.line)")
      let content = try String(contentsOf: Page.root.appending(path: origin), encoding: .utf8)
      #expect(content == block.text, "\(file):\(block.line): not \(origin)")
    }
  }

  @Test("every snippet is shown on a page")
  func shown() throws {
    let folder = Page.root.appending(path: "Examples/Snippets")
    let snippets = try FileManager.default.contentsOfDirectory(atPath: folder.path)
    let pages = try Page.files.map { try Page($0) }
    let shown = Set(pages.flatMap { $0.blocks.compactMap(\.origin) })
    #expect(snippets.filter { !shown.contains("Examples/Snippets/\($0)") } == [])
  }

  @Test("the article for those who come from iOS names each event", arguments: LifecycleEvent.allCases)
  func events(event: LifecycleEvent) throws {
    let article = try Page("Sources/Mediator/Mediator.docc/ComingFromIOS.md")
    #expect(article.text.contains("`\(event.rawValue)`") || event.isOfScene)
  }
}
