/// What `lifecycled --help` lists, section by section.
@testable import lifecycled

struct HelpPage {
  /// By title: the first words of its lines.
  private let sections: [String: [String]]

  init() {
    var sections: [String: [String]] = [:]
    var title = ""
    for line in HelpText.help.split(separator: "\n").map(String.init) {
      if !line.hasPrefix(" ") {
        title = String(line.prefix { $0 != ":" })
      } else if line.hasPrefix("  "), line.dropFirst(2).first != " " {
        sections[title, default: []].append(String(line.dropFirst(2)))
      }
    }
    self.sections = sections
  }

  private func lines(of titles: String) -> [String] {
    sections.filter { $0.key.hasPrefix(titles) }.values.flatMap(\.self)
  }

  /// The commands, without "(none)".
  var commands: Set<String> {
    Set(lines(of: "Commands").map { String($0.prefix { $0 != " " }) }.filter { $0 != "(none)" })
  }

  /// All options, also the short ones, and those of single commands.
  var options: Set<String> {
    let own = lines(of: "Options").flatMap { line in line.split(separator: " ").prefix { $0.hasPrefix("-") } }
    let ofCommands = lines(of: "Commands").flatMap { $0.matches(of: /--[a-z-]+/).map { $0.0 } }
    return Set((own + ofCommands).map { word in String(word.prefix { $0 != "=" && $0 != "," }) })
  }
}
