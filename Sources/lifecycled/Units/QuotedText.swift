/// How a value from a file is shown inside a message: whole when short, cut when long.
extension String {
  /// In single quotes, cut to a length that leaves the message readable.
  var quoted: String { "'\(clipped)'" }

  /// Cut to 60 characters.
  var clipped: String {
    var cut = self.prefix(60)
    if cut.utf8.count > 240 { cut = Substring(String(decoding: cut.utf8.prefix(240), as: UTF8.self)) }
    return cut.utf8.count == utf8.count ? self : cut + "…"
  }
}
