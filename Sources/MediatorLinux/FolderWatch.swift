/// Tells when entries of a folder come, go or are written (`inotify(7)`).
internal import CMediatorLinux

/// The folder and not the file: what is replaced by rename(2) is another file afterwards.
package final class FolderWatch: Sendable {
  package enum Told: Hashable, Sendable {
    case changed
    /// The folder itself was removed, renamed or unmounted; it is the last that is told.
    case gone
  }

  private let loop: EventLoop
  private let watched: WatchedDescriptor
  private let name: String

  /// - Parameter name: the one entry to be told of; empty for all.
  package init(_ path: String, name: String = "", on loop: EventLoop) throws(LinuxError) {
    let descriptor = unsafe mediator_folder_watch(path)
    guard descriptor >= 0 else { throw LinuxError("inotify", -descriptor) }
    self.loop = loop
    watched = WatchedDescriptor(descriptor)
    self.name = name
  }

  /// Tells on the loop, until `cancel()`. Call it once.
  package func start(_ told: @escaping @Sendable (Told) -> Void) throws(LinuxError) {
    let source = try loop.watch(descriptor: watched.number) { [self] in
      let result = unsafe mediator_folder_changed(watched.number, name)
      if result < 0 || result == 2 { cancel() }
      if result != 0 { told(result == 1 ? .changed : .gone) }
    }
    watched.keep(source)
  }

  package func cancel() { watched.cancel() }
}
