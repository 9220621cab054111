internal import Glibc

/// A system call that failed: its name and its errno.
package struct LinuxError: Error, Hashable, Sendable, CustomStringConvertible {
  package var call: String
  package var code: Int32

  package init(_ call: String, _ code: Int32) {
    self.call = call
    self.code = code
  }

  package var description: String { "\(call): \(Self.text(code))" }

  /// What strerror(3) says of an errno.
  package static func text(_ code: Int32) -> String {
    var buffer = [CChar](repeating: 0, count: 128)
    let failed = unsafe strerror_r(code, &buffer, buffer.count)
    guard failed == 0 else { return "errno \(code)" }
    return String(decoding: buffer.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }
}
