/// Splits the value of `Exec=` into commands and their words, quoted as systemd.service(5) has it.
///
/// A lone `;` separates commands, `\;` as a word is a literal semicolon. Nothing is expanded here: specifiers
/// follow per
/// word when the file is loaded, variables when the command runs.
enum CommandSplitter {
  struct Result: Equatable {
    /// The words of each command; never an empty command.
    var commands: [[String]] = []
    /// Why the value cannot be used.
    var problem: String?
    /// Escapes that systemd does not know and that therefore stay as they are.
    var unknownEscapes: [String] = []
  }

  static func split(_ value: String) -> Result {
    var result = Result()
    var words = WordExtractor(value)
    var command: [String] = []
    do throws(WordExtractor.Problem) {
      while !words.rest.isEmpty {
        if words.takeLone(";") {
          result.finish(&command)
        } else if !command.isEmpty, words.takeLone("\\;") {
          command.append(";")
        } else if let word = try words.next() {
          result.unknownEscapes += word.unknownEscapes
          command.append(word.text)
        }
      }
      result.finish(&command)
    } catch {
      result.problem =
        switch error {
        case .unclosedQuote(let quote): "the quote \(quote) is not closed"
        case .notUTF8: "the escapes do not give valid UTF-8"
        }
    }
    return result
  }
}

extension CommandSplitter.Result {
  fileprivate mutating func finish(_ command: inout [String]) {
    if !command.isEmpty { commands.append(command) }
    command = []
  }
}
