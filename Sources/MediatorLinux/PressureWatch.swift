/// A watch on how scarce memory is: a trigger of the kernel's, or a FIFO or socket of whoever watches for us.
internal import CMediatorLinux
internal import Glibc

/// What lies at the path says how it is watched, as systemd's `MEMORY_PRESSURE` document has it: a regular file by
/// POLLPRI, a FIFO or a socket by POLLIN.
package final class PressureWatch: Sendable {
  package enum Told: Hashable, Sendable {
    case pressure
    /// There is nothing to be watched any more: the control group or the peer has gone.
    case gone
  }

  private let loop: EventLoop
  private let watched: WatchedDescriptor
  /// It is one of the kernel's.
  package let isTrigger: Bool

  /// Opens the path and writes the trigger; nothing is told before `start`.
  ///
  /// Fails with what stat(2), open(2), connect(2) and write(2) say, EBADF for what can be watched in no way. A FIFO is
  /// only read: what is written into it would come back.
  package init(_ path: String, writing trigger: [UInt8], on loop: EventLoop) throws(LinuxError) {
    guard !path.utf8.contains(0) else { throw LinuxError("stat", EINVAL) }
    var status = stat()
    guard unsafe stat(path, &status) == 0 else { throw LinuxError("stat", errno) }
    let kind = status.st_mode & S_IFMT
    let descriptor: Int32
    switch kind {
    case S_IFREG: descriptor = Self.open(path, trigger.isEmpty ? O_RDONLY : O_RDWR)
    // With a write end of its own it is never at its end, whoever comes and goes.
    case S_IFIFO: descriptor = Self.open(path, O_RDWR)
    case S_IFSOCK: descriptor = unsafe mediator_connect_path(path)
    default: throw LinuxError("open", EBADF)
    }
    guard descriptor >= 0 else { throw LinuxError(kind == S_IFSOCK ? "connect" : "open", -descriptor) }
    self.loop = loop
    watched = WatchedDescriptor(descriptor)
    isTrigger = kind == S_IFREG
    if kind != S_IFIFO, !trigger.isEmpty {
      let count = unsafe trigger.withUnsafeBytes { unsafe write(descriptor, $0.baseAddress, $0.count) }
      guard count == trigger.count else { throw LinuxError("write", count < 0 ? errno : EIO) }
    }
  }

  private static func open(_ path: String, _ flags: Int32) -> Int32 {
    let descriptor = unsafe Glibc.open(path, flags | O_NONBLOCK | O_CLOEXEC | O_NOCTTY)
    return descriptor < 0 ? -errno : descriptor
  }

  /// Tells on the loop, until `cancel()`; `gone` is the last that is told. Call it once.
  package func start(_ told: @escaping @Sendable (Told) -> Void) throws(LinuxError) {
    // The handlers keep this alive, and with it the number, until the loop has let go of both.
    let source =
      if isTrigger {
        try loop.watchUrgent(
          descriptor: watched.number,
          gone: {
            withExtendedLifetime(self) {}
            told(.gone)
          }, { [self] in withExtendedLifetime(self) { told(.pressure) } })
      } else {
        try loop.watch(descriptor: watched.number) { [self] in drain(told) }
      }
    watched.keep(source)
  }

  /// Nothing is told that has not begun to be.
  package func cancel() { watched.cancel() }

  /// What is written means nothing but that something was.
  private func drain(_ told: (Told) -> Void) {
    var buffer = [UInt8](repeating: 0, count: 4096)
    var hasCome = false
    while true {
      let count = unsafe read(watched.number, &buffer, buffer.count)
      if count > 0 {
        hasCome = true
        continue
      }
      if count < 0, errno == EINTR { continue }
      let isOver = count == 0 || errno != EAGAIN
      if hasCome { told(.pressure) }
      if isOver {
        cancel()
        told(.gone)
      }
      return
    }
  }
}
