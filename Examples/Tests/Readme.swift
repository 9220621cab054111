/// README.md taken apart: its fenced blocks, links and commands.
import Foundation

struct Readme {
  /// A fenced block, with the file that the comment above it names.
  struct Block {
    var language: String
    var origin: String?
    var text: String
    /// Of its first line in README.md.
    var line: Int
  }

  static let root = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../..").standardized

  let text: String
  private(set) var blocks: [Block] = []

  init() throws {
    text = try String(contentsOf: Self.root.appending(path: "README.md"), encoding: .utf8)
    var origin: String?
    var open: Block?
    for (index, line) in text.split(separator: "\n", omittingEmptySubsequences: false).enumerated() {
      if line.hasPrefix("```") {
        if let block = open { blocks.append(block) }
        open = open == nil ? Block(language: String(line.dropFirst(3)), origin: origin, text: "", line: index + 2) : nil
      } else if open != nil {
        open?.text += line + "\n"
      }
      origin = (try? /<!-- (.+) -->/.wholeMatch(in: line)).map { String($0.1) }
    }
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
