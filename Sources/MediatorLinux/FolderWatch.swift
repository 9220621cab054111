/// Tells when entries of a folder come, go or are written (`inotify(7)`).
internal import CMediatorLinux
internal import Glibc

/// The folder and not the file: what is replaced by rename(2) is another file afterwards.
package final class FolderWatch: Sendable {
  package enum Told: Hashable, Sendable {
    case changed
    /// The folder itself was removed, renamed or unmounted; it is the last that is told.
    case gone
  }

  private let loop: EventLoop
  /// Closed on the loop, after that has let go of it.
  private let descriptor: Int32
  private let name: String
  private let source = Guarded<EventSource?>(nil)

  /// - Parameter name: the one entry to be told of; empty for all.
  package init(_ path: String, name: String = "", on loop: EventLoop) throws(LinuxError) {
    let descriptor = unsafe mediator_folder_watch(path)
    guard descriptor >= 0 else { throw LinuxError("inotify", -descriptor) }
    self.loop = loop
    self.descriptor = descriptor
    self.name = name
  }

  deinit { _ = close(descriptor) }

  /// Tells on the loop, until `cancel()`. Call it once.
  package func start(_ told: @escaping @Sendable (Told) -> Void) throws(LinuxError) {
    let source = try loop.watch(descriptor: descriptor) { [self] in
      let result = unsafe mediator_folder_changed(descriptor, name)
      if result < 0 || result == 2 { cancel() }
      if result != 0 { told(result == 1 ? .changed : .gone) }
    }
    self.source.withLock { $0 = source }
  }

  package func cancel() {
    let source = source.withLock { source in
      defer { source = nil }
      return source
    }
    guard let source else { return }
    source.cancel()
    if !loop.isCurrent { loop.submit { withExtendedLifetime(self) {} } }
  }
}
