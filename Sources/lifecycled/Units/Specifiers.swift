/// Replaces `%i`, `%n`, `%t` and `%%` when a file is loaded, as systemd.unit(5) does with its specifiers.
struct Specifiers: Sendable, Equatable {
  /// `%n`: the file name of the unit, with its suffix.
  var name: String
  /// `%i`: what stands between `@` and the suffix; empty for a unit that is no instance.
  var instance: String
  /// `%t`: `/run` for root, else `$XDG_RUNTIME_DIR`; nil where that is not set.
  var runtimeDirectory: String?

  init(name: String, runtimeDirectory: String?) {
    self.name = name
    self.runtimeDirectory = runtimeDirectory
    let stem = name.prefix(upTo: name.lastIndex(of: ".") ?? name.endIndex)
    instance = stem.firstIndex(of: "@").map { String(stem[stem.index(after: $0)...]) } ?? ""
  }

  struct Problem: Error, Equatable {
    var what: String
    var advice: String
  }

  /// The text with every specifier replaced; a `%` before anything but a letter, a digit or `%` stays.
  func expand(_ text: String, problems: inout [Problem]) -> String {
    guard text.utf8.contains(UInt8(ascii: "%")) else { return text }
    var out: [UInt8] = []
    var rest = Array(text.utf8)[...]
    while let byte = rest.popFirst() {
      guard byte == UInt8(ascii: "%"), let letter = rest.first,
        letter == UInt8(ascii: "%") || Self.isAlphanumeric(letter)
      else {
        out.append(byte)
        continue
      }
      rest.removeFirst()
      switch letter {
      case UInt8(ascii: "%"): out.append(letter)
      case UInt8(ascii: "n"): out += name.utf8
      case UInt8(ascii: "i"): out += instance.utf8
      case UInt8(ascii: "t"):
        if runtimeDirectory == nil {
          problems.append(
            Problem(what: "%t has no value: XDG_RUNTIME_DIR is not set", advice: "set it, or write the path"))
        }
        out += (runtimeDirectory ?? "").utf8
      default:
        let shown = "%" + String(decoding: CollectionOfOne(letter), as: UTF8.self)
        problems.append(
          Problem(
            what: "\(shown) in \(text.quoted) is not a specifier of lifecycled",
            advice: "it has %i %n %t; write %\(shown) for a literal percent sign"))
      }
    }
    return String(decoding: out, as: UTF8.self)
  }

  private static func isAlphanumeric(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "a")...UInt8(ascii: "z"):
      true
    default: false
    }
  }
}
