/// A stream that somebody reads, by its place in the system: which one leads to the journal (`systemd.exec(5)`).
internal import Glibc

package struct JournalStream: Hashable, Sendable {
  private var device: UInt64
  private var inode: UInt64

  /// Reads the two decimal numbers of `$JOURNAL_STREAM`, with a colon between; nil for anything else.
  package init?(_ text: String) {
    let parts = text.split(separator: ":", omittingEmptySubsequences: false)
    guard parts.count == 2, let device = UInt64(parts[0]), let inode = UInt64(parts[1]) else { return nil }
    (self.device, self.inode) = (device, inode)
  }

  /// What a descriptor leads to (fstat(2)); nil for one that is closed.
  package init?(of descriptor: Int32) {
    var status = stat()
    guard unsafe fstat(descriptor, &status) == 0 else { return nil }
    (device, inode) = (UInt64(status.st_dev), UInt64(status.st_ino))
  }

  /// What the service manager connected to the journal, as the environment says now.
  package static var announced: JournalStream? {
    unsafe getenv("JOURNAL_STREAM").flatMap { unsafe JournalStream(String(cString: $0)) }
  }
}
