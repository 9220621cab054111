/// The variables that this process has now (`environ(7)`).
internal import CMediatorLinux

package enum ProcessEnvironment {
  /// Of two of one name the first counts, as in getenv(3).
  package static func all() -> [String: String] {
    var variables: [String: String] = [:]
    var next = unsafe mediator_environment()
    while let entry = unsafe next.pointee {
      let text = unsafe String(cString: entry)
      unsafe next += 1
      guard let end = text.utf8.firstIndex(of: UInt8(ascii: "=")) else { continue }
      let name = String(text[..<end])
      if variables[name] == nil { variables[name] = String(text[text.utf8.index(after: end)...]) }
    }
    return variables
  }
}
