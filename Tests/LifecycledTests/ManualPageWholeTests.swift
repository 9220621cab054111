import Foundation
import Testing

@testable import lifecycled

/// What the manual pages say of the world around the program: variables, folders, one another, and examples that work.
@Suite("Manual pages as a whole", .timeLimit(.minutes(5)))
struct ManualPageWholeTests {
  /// The text of all sources of lifecycled.
  private static func sources() throws -> String {
    let folder = ManualPage.root.appending(path: "Sources/lifecycled")
    let names = FileManager.default.enumerator(atPath: folder.path)?.compactMap { $0 as? String } ?? []
    return try names.filter { $0.hasSuffix(".swift") }.map {
      try String(contentsOf: folder.appending(path: $0), encoding: .utf8)
    }.joined()
  }

  @Test("Every variable that the program reads or sets by name has an entry, and every LIFECYCLE_ in a page exists")
  func variables() throws {
    let pages = try ManualPage.names.map { try ManualPage($0) }
    let entries = Set(pages.flatMap { $0.entries(in: "ENVIRONMENT") }.flatMap(\.names))
    let text = try Self.sources()
    let own = Set(text.matches(of: /"(LIFECYCLE_[A-Z_]+)"/).map { String($0.1) })
    let read = Set(text.matches(of: /(?:getenv\(|environment\[|value\()"([A-Z_]+)"/).map { String($0.1) })
    #expect(own.count >= 5 && read.count >= 4)
    #expect(own.union(read).subtracting(entries) == [])
    let named = pages.flatMap { $0.marked("Ev") }.filter { $0.hasPrefix("LIFECYCLE_") }
    #expect(Set(named) == own)
  }

  @Test("The folders are those that are read")
  func folders() throws {
    for page in [("lifecycled.8", "FILES"), ("lifecycled.conf.5", "FOLDERS AND DROP-INS")] {
      let heads = try ManualPage(page.0).entries(in: page.1).map(\.head)
        .filter { $0.hasPrefix("/") && !$0.hasSuffix("/socket") }
      #expect(heads == ConfigurationFolders.standardPaths)
    }
  }

  @Test(
    "Each page bears its name, is installed with its section, and leads to the other three", arguments: ManualPage.names
  )
  func references(name: String) throws {
    let page = try ManualPage(name)
    let parts = name.split(separator: ".")
    let title = parts.dropLast().joined(separator: ".")
    #expect(page.lines.contains(".Dt \(title.uppercased()) \(parts.last ?? "")"))
    #expect(page.lines.contains(".Nm \(title)"))
    for other in ManualPage.names where other != name {
      let section = other.suffix(1)
      #expect(page.lines.contains { $0.hasPrefix(".Xr \(other.dropLast(2)) \(section)") }, "\(other)")
    }
    for line in page.lines where line.contains("Xr lifecycled") {
      let found = line.matches(of: /Xr (lifecycled[.a-z]*) ([0-9])/).map { "\($0.1).\($0.2)" }
      #expect(!found.isEmpty && Set(found).isSubset(of: ManualPage.names), "\(line)")
    }
    let makefile = try String(contentsOf: ManualPage.root.appending(path: "Makefile"), encoding: .utf8)
    #expect(makefile.contains("man\(parts.last ?? "")"))
  }

  @Test("Every file that a page shows has no fault and no warning", arguments: ManualPage.names)
  func files(name: String) throws {
    var count = 0
    for literal in try ManualPage(name).literals {
      let file: String
      switch literal.prefix(while: { $0 != "\n" }) {
      case "[Hook]": file = "10-a.hook"
      case "[Process]": file = "10-a.process"
      case "[Lifecycle]": file = "lifecycled.conf"
      default: continue
      }
      count += 1
      #expect(MemoryFolders(["/c/\(file)": literal]).load(.only("/c")).findings.all.isEmpty, "\(literal)")
    }
    #expect(name == "lifecycled.8" || count >= 2)
  }

  @Test("Every command line of lifecycled that a page shows is understood")
  func commandLines() throws {
    var count = 0
    for literal in try ManualPage.names.flatMap({ try ManualPage($0).literals }) {
      for line in literal.replacing("\\\n", with: " ").split(separator: "\n") where line.hasPrefix("lifecycled ") {
        count += 1
        let command = line.prefix { $0 != "|" && $0 != ">" }
        // Quoted for a shell, which here is as a unit file has it.
        let words = try #require(CommandSplitter.split(String(command)).commands.first).dropFirst()
        #expect(throws: Never.self, "\(line)") { try Invocation(parsing: Array(words)) }
      }
    }
    #expect(count >= 5)
  }
}
