internal import Glibc

/// Standard output or standard error, written directly and to the end.
enum StandardStream: Int32, Sendable {
  case output = 1
  case errors = 2

  /// Opens those of the first three descriptors that are closed: the next file would become somebody's log otherwise.
  static func fillGaps() {
    var descriptor: Int32 = 0
    repeat { descriptor = unsafe open("/dev/null", O_RDWR) } while (0...2).contains(descriptor)
    if descriptor > 2 { _ = close(descriptor) }
  }

  var isTerminal: Bool { isatty(rawValue) == 1 }

  /// How many columns the terminal has; nil for anything else.
  var columns: Int? {
    var size = winsize()
    guard isTerminal, unsafe ioctl(rawValue, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else { return nil }
    return Int(size.ws_col)
  }

  /// no-color.org: any value but an empty one switches colour off; so does a terminal that calls itself dumb.
  var hasColour: Bool {
    let isUnwanted = unsafe getenv("NO_COLOR").map { unsafe $0.pointee != 0 } ?? false
    let isDumb = unsafe getenv("TERM").map { unsafe strcmp($0, "dumb") == 0 } ?? true
    return isTerminal && !isUnwanted && !isDumb
  }

  /// Writes each line with its line end; false if the reader is gone or the device is full.
  @discardableResult
  func write(_ lines: [String]) -> Bool {
    if lines.isEmpty { return true }
    let bytes = Array((lines.joined(separator: "\n") + "\n").utf8)
    var start = 0
    while start < bytes.count {
      let count = unsafe bytes[start...].withUnsafeBytes { unsafe Glibc.write(rawValue, $0.baseAddress, $0.count) }
      if count < 0, errno == EINTR { continue }
      if count < 0, errno == EAGAIN {
        var poll = pollfd(fd: rawValue, events: Int16(POLLOUT), revents: 0)
        _ = unsafe Glibc.poll(&poll, 1, -1)
        continue
      }
      if count < 0 { return false }
      start += count
    }
    return true
  }
}
