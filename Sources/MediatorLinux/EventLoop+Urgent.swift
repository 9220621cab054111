/// What the loop asks poll(2) for itself, and tells before all else: signals, and triggers of pressure stall information.
internal import CMediatorLinux
internal import Glibc

extension EventLoop {
  struct Urgent: Sendable {
    var source: EventSource
    var gone: Gone

    /// A closure is never a generic's bare value.
    struct Gone: Sendable { var call: @Sendable () -> Void }

    func tell(hasFailed: Bool) {
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
    try watchUrgent(descriptor, hasPriority: true, gone: gone, handler)
  }

  /// As `watch`, without the way through epoll and sd-event, which takes as long as all else of a signal's way.
  ///
  /// - Throws: ENOSPC for one too many, ESHUTDOWN after `shutdown()`.
  package func watchFirst(
    descriptor: Int32, _ handler: @escaping @Sendable () -> Void
  ) throws(LinuxError) -> EventSource {
    try watchUrgent(descriptor, hasPriority: false, gone: {}, handler)
  }

  private func watchUrgent(
    _ descriptor: Int32, hasPriority: Bool, gone: @escaping @Sendable () -> Void,
    _ handler: @escaping @Sendable () -> Void
  ) throws(LinuxError) -> EventSource {
    let source = EventSource(loop: self, kind: .urgent, handler: handler)
    let entry = Urgent(source: source, gone: Urgent.Gone(call: gone))
    let result = onLoop { self.keep(entry, descriptor, hasPriority: hasPriority) }
    if result < 0 { throw LinuxError("poll", -result) }
    return source
  }

  private func keep(_ entry: Urgent, _ descriptor: Int32, hasPriority: Bool) -> Int32 {
    if isFinished { return -ESHUTDOWN }
    guard unsafe urgent.count < MEDIATOR_MOST_URGENT else { return -ENOSPC }
    unsafe urgent.append(entry)
    unsafe polled.append(
      mediator_urgent(descriptor: descriptor, has_priority: hasPriority, is_ready: false, failed: false))
    return 0
  }

  func removeUrgent(_ source: EventSource) {
    guard let place = unsafe urgent.firstIndex(where: { $0.source === source }) else { return }
    unsafe urgent.remove(at: place)
    unsafe polled.remove(at: place)
  }

  /// Waits for the descriptor, and for what is urgent, or only looks; and tells what is urgent.
  func waitForAny(_ descriptor: Int32, waits: Bool) {
    guard unsafe mediator_wait(descriptor, &polled, polled.count, waits) > 0 else { return }
    let ready = unsafe zip(urgent, polled).filter { $1.is_ready || $1.failed }
    for (entry, polled) in ready { entry.tell(hasFailed: polled.failed) }
  }
}
