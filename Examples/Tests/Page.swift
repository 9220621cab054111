/// A page of Markdown taken apart: its fenced blocks, links and commands.
import Foundation

struct Page {
  /// A fenced block, with the file that the comment above it names.
  struct Block {
    var language: String
    var origin: String?
    var text: String
    /// Of its first line in the page.
    var line: Int
  }

  static let root = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../..").standardized

  /// README.md, and the articles of all documentation catalogs, as paths from the root.
  static let files =
    ["README.md"]
    + (FileManager.default.enumerator(atPath: root.appending(path: "Sources").path)?
      .compactMap { $0 as? String }
      .filter { $0.wholeMatch(of: /.+\.docc\/.+\.md/) != nil }
      .map { "Sources/\($0)" }
      .sorted() ?? [])

  let file: String
  let text: String
  private(set) var blocks: [Block] = []
  /// Lines with a fence that the blocks do not have: one that is indented, of tildes, or never closed.
  private(set) var strayFences: [Int] = []

  init(_ file: String) throws {
    self.file = file
    text = try String(contentsOf: Self.root.appending(path: file), encoding: .utf8)
    var origin: String?
    var open: Block?
    for (index, line) in text.split(separator: "\n", omittingEmptySubsequences: false).enumerated() {
      if line.hasPrefix("```") {
        if let block = open { blocks.append(block) }
        open = open == nil ? Block(language: String(line.dropFirst(3)), origin: origin, text: "", line: index + 2) : nil
      } else if open != nil {
        open?.text += line + "\n"
      } else if line.contains(/^[\s>*-]*(```|~~~)/) {
        strayFences.append(index + 1)
      }
      origin = (try? /<!-- (.+) -->/.wholeMatch(in: line)).map { String($0.1) }
    }
    if let open { strayFences.append(open.line - 1) }
  }

  func blocks(in language: String) -> [Block] { blocks.filter { $0.language == language } }

  /// Where links lead that are no web addresses.
  var localLinks: [String] {
    text.matches(of: /\]\(([^)#:]+)\)/).map { String($0.1) }
  }

  /// The targets of make(1) that any command names.
  var makeTargets: Set<String> {
    Set(blocks(in: "sh").flatMap { $0.text.matches(of: /(?m)\bmake ([a-z-]+)/) }.map { String($0.1) })
  }
}
