/// A manual page in mdoc(7) taken apart: its entries with the section and the text of each, and its literal blocks.
import Foundation

struct ManualPage {
  /// One `.It` of a list.
  struct Entry {
    /// The line's words as they are shown, such as `On=EVENT ...` or `-h, --help`.
    var head: String
    /// The title of its section or subsection.
    var section: String
    /// 1 for a list that stands in no other.
    var depth: Int
    /// The lines of the source up to the next entry, those of entries in it included.
    var text: [String] = []

    /// What stands between commas.
    var names: [String] { head.components(separatedBy: ", ") }
    /// Up to the equals sign.
    var key: String { String(head.prefix { $0 != "=" }) }
    /// What its text marks as a word to write.
    var words: Set<String> { Set(text.flatMap { ManualPage.marked($0, "Cm") }) }
    /// What it says after "Default: ", up to the comma or the full stop.
    var defaultValue: String? {
      text.first { $0.hasPrefix("Default: ") }.map { String($0.dropFirst(9).prefix { $0 != "," && $0 != "." }) }
    }
  }

  static let root = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../..").standardized
  static let names = ["lifecycled.8", "lifecycled.conf.5", "lifecycled.hook.5", "lifecycled.process.5"]

  let name: String
  let lines: [String]
  private(set) var entries: [Entry] = []
  /// The displays of literal text, as they are shown.
  private(set) var literals: [String] = []

  init(_ name: String) throws {
    self.name = name
    let path = Self.root.appending(path: "Packaging/man/\(name)")
    lines = try String(contentsOf: path, encoding: .utf8).split(separator: "\n").map(String.init)
    var section = ""
    var open: [Int] = []
    var isLiteral = false
    var depth = 0
    for line in lines {
      let words = line.split(separator: " ")
      switch words.first {
      case ".Sh", ".Ss":
        section = words.dropFirst().joined(separator: " ")
        open = []
      case ".Bl": depth += 1
      case ".El":
        open.removeAll { entries[$0].depth == depth }
        depth -= 1
      case ".It" where words.count > 1:
        open.removeAll { entries[$0].depth == depth }
        for index in open { entries[index].text.append(line) }
        open.append(entries.count)
        entries.append(Entry(head: Self.shown(words.dropFirst()), section: section, depth: depth))
      case ".Bd":
        isLiteral = true
        literals.append("")
      case ".Ed": isLiteral = false
      default:
        if isLiteral { literals[literals.count - 1] += Self.unescaped(line) + "\n" }
        for index in open { entries[index].text.append(line) }
      }
    }
  }

  func entries(in section: String, depth: Int = 1) -> [Entry] {
    entries.filter { $0.section == section && $0.depth == depth }
  }

  /// Everything that the page marks with a macro, such as `Ev` or `Xr`.
  func marked(_ macro: String) -> Set<String> { Set(lines.flatMap { Self.marked($0, macro) }) }

  /// The words after a macro in a line of the source, up to the next macro.
  private static func marked(_ line: String, _ macro: String) -> [String] {
    guard line.hasPrefix(".") else { return [] }
    var found: [String] = []
    var isInside = false
    for word in line.dropFirst().split(separator: " ") {
      if word == macro {
        isInside = true
      } else if macros.contains(String(word)) {
        isInside = false
      } else if isInside, word != ",", word != "." {
        found.append(unescaped(word))
      }
    }
    return found
  }

  private static let macros: Set<String> = [
    "Ar", "Cm", "Dv", "Ev", "Fl", "Ic", "It", "No", "Ns", "Op", "Pa", "Pq", "Ql", "Xr",
  ]

  /// Words of the source as a reader sees them, without their macros.
  private static func shown(_ words: ArraySlice<Substring>) -> String {
    var text = ""
    var (isFlag, isGlued, isParenthesized) = (false, true, false)
    for word in words {
      switch word {
      case "Fl": isFlag = true
      case "Ns": isGlued = true
      case "Pq": isParenthesized = true
      case ",":
        text += ","
        isGlued = false
      case let word where macros.contains(String(word)): isFlag = false
      default:
        text += (isGlued ? "" : " ") + (isFlag ? "-" : "") + (isParenthesized ? "(" : "") + unescaped(word)
        (isFlag, isGlued) = (false, false)
      }
    }
    return text + (isParenthesized ? ")" : "")
  }

  private static func unescaped(_ text: some StringProtocol) -> String {
    text.replacingOccurrences(of: #"\&"#, with: "").replacingOccurrences(of: #"\e"#, with: #"\"#)
  }
}
