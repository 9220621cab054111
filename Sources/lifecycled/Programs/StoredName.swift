/// Under which name a program's descriptors lie in the manager's one store, and whose a name there is: FDNAME= of
/// sd_pid_notify_with_fds(3).
struct StoredName: Equatable, Sendable {
  /// The program's title.
  var owner: String
  /// What the program itself calls it.
  var name: String

  /// What systemd calls a descriptor that was stored without a name.
  static let unnamed = "stored"
  /// Characters of a name, sd_listen_fds_with_names(3).
  static let limit = 255

  /// What the manager is told: NAME, or NAME-FDNAME; nil for what would be too long, or another program's.
  func told(among titles: some Sequence<String>) -> String? {
    let plain = Self.plain(owner)
    let text = name == Self.unnamed ? plain : "\(plain)-\(name)"
    guard text.utf8.count <= Self.limit, StoredName(of: text, among: titles) == self else { return nil }
    return text
  }

  init(owner: String, name: String?) {
    self.owner = owner
    self.name = name.flatMap { $0.isEmpty ? nil : $0 } ?? Self.unnamed
  }

  /// Whose a name is: the program's with the longest title that fits; nil for nobody's.
  init?(of text: String, among titles: some Sequence<String>) {
    let fitting = titles.filter { text == Self.plain($0) || text.hasPrefix("\(Self.plain($0))-") }
    guard let owner = fitting.max(by: { ($0.utf8.count, $0) < ($1.utf8.count, $1) }) else { return nil }
    self.init(owner: owner, name: String(text.dropFirst(Self.plain(owner).count + 1)))
  }

  /// Printable, and without a colon: other bytes are written as `\x3a`.
  private static func plain(_ title: String) -> String {
    var text = ""
    for byte in title.utf8 {
      let isPlain = (0x20..<0x7F).contains(byte) && byte != UInt8(ascii: ":") && byte != UInt8(ascii: "\\")
      let digits = String(byte, radix: 16)
      text += isPlain ? String(Unicode.Scalar(byte)) : "\\x\(digits.count < 2 ? "0" : "")\(digits)"
    }
    return text
  }
}
