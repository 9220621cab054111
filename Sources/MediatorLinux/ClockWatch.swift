/// Tells when the wall clock is set, by a timer that the kernel cancels then (`timerfd_create(2)`).
internal import CMediatorLinux

package final class ClockWatch: Sendable {
  private let loop: EventLoop
  private let watched: WatchedDescriptor

  /// - Parameter given: a descriptor to be read instead of a timer's, which becomes this watch's: a test can not set
  ///   the machine's clock.
  package init(on loop: EventLoop, descriptor given: Int32? = nil) throws(LinuxError) {
    let descriptor = given ?? mediator_clock_watch()
    guard descriptor >= 0 else { throw LinuxError("timerfd_create", -descriptor) }
    self.loop = loop
    watched = WatchedDescriptor(descriptor)
  }

  /// Tells on the loop, until `cancel()`. Call it once.
  package func start(_ wasSet: @escaping @Sendable () -> Void) throws(LinuxError) {
    let source = try loop.watch(descriptor: watched.number) { [self] in
      let result = mediator_clock_was_set(watched.number)
      // An end, or an error that would come again and again.
      if result < 0 { cancel() }
      if result > 0 { wasSet() }
    }
    watched.keep(source)
  }

  package func cancel() { watched.cancel() }
}
