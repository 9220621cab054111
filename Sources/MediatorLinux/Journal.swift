/// The journal's own protocol, which takes fields beside the words (`sd_journal_sendv(3)`).
internal import CLibsystemd
internal import Glibc

package enum Journal {
  /// Sends one entry, each field as "NAME=value"; a value may hold any byte.
  ///
  /// It waits while the journal does not read, so never call it on a loop. An entry is lost without an error while the
  /// journal's socket is missing, and with ECONNREFUSED while nobody listens at it; the next one finds it again.
  package static func send(_ fields: [String]) throws(LinuxError) {
    var bytes = fields.flatMap(\.utf8)
    let result = unsafe bytes.withUnsafeMutableBytes { bytes in
      var start = 0
      let parts = unsafe fields.map { field in
        defer { start += field.utf8.count }
        return unsafe iovec(iov_base: bytes.baseAddress.map { unsafe $0 + start }, iov_len: field.utf8.count)
      }
      return unsafe sd_journal_sendv(parts, Int32(parts.count))
    }
    if result < 0 { throw LinuxError("sd_journal_sendv", -result) }
  }
}
