/// What root may be configured by: files and folders of root that nobody else can write.
enum OwnershipRule {
  /// Why a file or folder is refused, and what to do about it; nil if it is in order.
  static func refusal(of path: String, _ ownership: FileOwnership) -> (what: String, advice: String)? {
    let shown = ShellQuoted.text(path)
    if ownership.user != 0 {
      return ("is owned by user \(ownership.user), not by root", "check it, then: chown root:root \(shown)")
    }
    if ownership.mode & 0o022 != 0 {
      let who =
        switch ownership.mode & 0o022 {
        case 0o020: "its group"
        case 0o002: "everybody"
        default: "its group and everybody"
        }
      return ("can be written by \(who)", "check it, then: chmod go-w \(shown)")
    }
    return nil
  }
}
