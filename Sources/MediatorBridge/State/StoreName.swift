/// How what the bridge keeps is called in the manager's descriptor store (FDNAME= of sd_pid_notify_with_fds(3)).
///
/// Each name begins with a prefix that is the bridge's own, so that none of them is a socket unit's or anybody else's.
enum StoreName: Hashable, Sendable {
  /// State; two names take turns, so that the new one is there before the old one goes.
  case state(isOdd: Bool)
  /// A socket that the program keeps, by the program's name for it.
  case socket(String)

  static let prefix = "lifecycle-"
  private static let socketPrefix = "lifecycle-socket-"
  /// Bytes of a whole name.
  private static let limit = 255

  var text: String {
    switch self {
    case .state(let isOdd): isOdd ? "lifecycle-state-1" : "lifecycle-state-0"
    case .socket(let name): Self.socketPrefix + name
    }
  }

  /// nil for a name that is not the bridge's.
  init?(_ text: String) {
    switch text {
    case Self.state(isOdd: false).text: self = .state(isOdd: false)
    case Self.state(isOdd: true).text: self = .state(isOdd: true)
    case _ where text.hasPrefix(Self.socketPrefix): self = .socket(String(text.dropFirst(Self.socketPrefix.count)))
    default: return nil
    }
  }

  /// Why a program cannot call a socket so; nil when it can.
  static func fault(inSocketName name: String) -> String? {
    if name.isEmpty { return "it is empty" }
    if name.hasPrefix(prefix) { return "names with \(prefix) are the bridge's own" }
    guard name.utf8.allSatisfy({ (0x20..<0x7F).contains($0) && $0 != UInt8(ascii: ":") }) else {
      return "it may have printable ASCII characters, but no colon"
    }
    let most = limit - socketPrefix.utf8.count
    return name.utf8.count > most ? "it has more than \(most) characters" : nil
  }
}
