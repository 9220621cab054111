/// Replaces environment variables in arguments when a command runs, as systemd.service(5) says and systemd 252 does.
///
/// `$VAR` as a word of its own becomes as many words as its value has (none if unset); `${VAR}` is replaced in place
/// (empty if unset); `$$` is a dollar sign; any other `$` stays. There is no shell.
enum VariableExpansion {
  static func expand(_ arguments: [String], environment: [String: String]) -> [String] {
    arguments.flatMap { expand($0, environment) }
  }

  private static func expand(_ word: String, _ environment: [String: String]) -> [String] {
    guard word.utf8.contains(UInt8(ascii: "$")) else { return [word] }
    let second = word.utf8.dropFirst().first
    if word.utf8.first == UInt8(ascii: "$"), let second, second != UInt8(ascii: "{"), second != UInt8(ascii: "$") {
      return split(environment[String(word.dropFirst())] ?? "")
    }
    return [replaceInPlace(word, environment)]
  }

  private static func replaceInPlace(_ word: String, _ environment: [String: String]) -> String {
    var out: [UInt8] = []
    var rest = Array(word.utf8)[...]
    while let byte = rest.popFirst() {
      guard byte == UInt8(ascii: "$") else {
        out.append(byte)
        continue
      }
      if rest.first == UInt8(ascii: "$") {
        rest.removeFirst()
        out.append(byte)
      } else if rest.first == UInt8(ascii: "{"), let close = rest.firstIndex(of: UInt8(ascii: "}")) {
        let name = String(decoding: rest[(rest.startIndex + 1)..<close], as: UTF8.self)
        out += (environment[name] ?? "").utf8
        rest = rest[(close + 1)...]
      } else {
        out.append(byte)
      }
    }
    return String(decoding: out, as: UTF8.self)
  }

  /// Words of a variable's value: blanks separate, quotes group and vanish, a backslash takes the next character
  /// as it is.
  private static func split(_ value: String) -> [String] {
    var words: [String] = []
    var word: [UInt8] = []
    var isInWord = false
    var quote: UInt8?
    var bytes = Array(value.utf8)[...]
    while let byte = bytes.popFirst() {
      if quote == nil, byte == UInt8(ascii: " ") || (0x09...0x0A).contains(byte) || byte == 0x0D {
        if isInWord { words.append(String(decoding: word, as: UTF8.self)) }
        (word, isInWord) = ([], false)
        continue
      }
      isInWord = true
      if byte == UInt8(ascii: "\\"), let next = bytes.popFirst() {
        word.append(next)
      } else if byte == quote {
        quote = nil
      } else if quote == nil, byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "'") {
        quote = byte
      } else {
        word.append(byte)
      }
    }
    if isInWord { words.append(String(decoding: word, as: UTF8.self)) }
    return words
  }
}
