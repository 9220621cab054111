/// What is ready for the loop by POLLPRI, and told of only once: triggers of pressure stall information.
internal import CMediatorLinux
internal import Glibc

extension EventLoop {
  /// A descriptor that the loop asks poll(2) for itself.
  struct Urgent: Sendable {
    var source: EventSource
    var descriptor: Int32
    var gone: Gone
    var hasFailed = false

    /// A closure is never a generic's bare value.
    struct Gone: Sendable { var call: @Sendable () -> Void }

    func tell() {
      guard hasFailed else { return source.fire() }
      source.loop.remove(source)
      if !source.isCancelled { gone.call() }
    }
  }

  /// Calls the handler on the loop whenever the descriptor has POLLPRI, until the source is cancelled.
  ///
  /// The kernel forgets a trigger of pressure when it was told of once, and epoll is told twice: the first time when
  /// poll(2) asks epoll itself whether anything is ready. What came was lost then; so poll(2) asks this descriptor.
  ///
  /// - Parameter gone: called once, and the source is cancelled, when there is nothing left to be watched.
  /// - Throws: ENOSPC for one too many, ESHUTDOWN after `shutdown()`.
  package func watchUrgent(
    descriptor: Int32, gone: @escaping @Sendable () -> Void, _ handler: @escaping @Sendable () -> Void
  ) throws(LinuxError) -> EventSource {
    let source = EventSource(loop: self, kind: .urgent, handler: handler)
    let entry = Urgent(source: source, descriptor: descriptor, gone: Urgent.Gone(call: gone))
    let result = onLoop { self.keep(entry) }
    if result < 0 { throw LinuxError("poll", -result) }
    return source
  }

  private func keep(_ entry: Urgent) -> Int32 {
    if isFinished { return -ESHUTDOWN }
    guard unsafe urgent.count < MEDIATOR_MOST_URGENT else { return -ENOSPC }
    unsafe urgent.append(entry)
    return 0
  }

  func removeUrgent(_ source: EventSource) { unsafe urgent.removeAll { $0.source === source } }

  /// Waits for the descriptor, and for what is urgent; returns that.
  func waitForAny(_ descriptor: Int32) -> [Urgent] {
    let entries = unsafe urgent
    var polled = entries.map { mediator_urgent(descriptor: $0.descriptor, is_urgent: false, failed: false) }
    _ = unsafe mediator_wait(descriptor, &polled, polled.count)
    if entries.isEmpty { return [] }
    return zip(entries, polled).compactMap { entry, polled in
      guard polled.is_urgent || polled.failed else { return nil }
      var entry = entry
      entry.hasFailed = polled.failed
      return entry
    }
  }
}
