/// An sd-event loop on a thread of its own that is also a serial executor.
internal import CLibsystemd
internal import CMediatorLinux
internal import Glibc

/// Actors may live on it, and its handlers may use `assumeIsolated` on them. It must never run foreign code.
@safe
package final class EventLoop: SerialExecutor {
  /// Which of several ready sources goes first.
  package enum Priority: Int64, Sendable {
    case important = -100
    case normal = 0
    case idle = 100
  }

  package let name: String
  private let queue = Guarded(WorkQueue())
  private let ended = Gate()
  private let wakeDescriptor: Int32
  // sd-event knows no threads: after init only the loop's own thread touches it, and deinit when nobody else can.
  nonisolated(unsafe) let event: OpaquePointer
  // Touched on the loop's own thread alone. Keeps what sd-event only knows by address.
  private nonisolated(unsafe) var sources: [ObjectIdentifier: EventSource] = [:]
  // Touched on the loop's own thread alone. What epoll would lose, see `watchUrgent`.
  nonisolated(unsafe) var urgent: [Urgent] = []
  // What poll(2) is asked of each of them.
  nonisolated(unsafe) var polled: [mediator_urgent] = []

  /// Starts the thread; it ends, and the loop can be released, only after `shutdown()`.
  package init(name: String) throws(LinuxError) {
    self.name = name
    var event: OpaquePointer?
    let made = unsafe sd_event_new(&event)
    guard made >= 0, let event = unsafe event else { throw LinuxError("sd_event_new", -made) }
    unsafe self.event = event
    wakeDescriptor = mediator_eventfd()
    guard wakeDescriptor >= 0 else { throw LinuxError("eventfd", -wakeDescriptor) }
    try reserveTimer()
    let wake = EventSource(loop: self, kind: .wake) { [unowned self] in runQueue() }
    try Self.check("sd_event_add_io", register(wake, descriptor: wakeDescriptor, priority: .normal))
    let retained = unsafe Unmanaged.passRetained(self)
    let started = unsafe mediator_thread_start(
      name, MEDIATOR_MASK_ALL_BLOCKED, { unsafe Unmanaged<EventLoop>.fromOpaque($0!).takeRetainedValue().run() },
      retained.toOpaque())
    guard started >= 0 else {
      unsafe retained.release()
      removeSources(withWake: true)
      throw LinuxError("pthread_create", -started)
    }
  }

  deinit {
    unsafe sd_event_unref(event)
    if wakeDescriptor >= 0 { _ = close(wakeDescriptor) }
  }

  // MARK: Executor

  /// Runs the work on the loop, in one order with the jobs of actors that live on it.
  package func submit(_ work: @escaping @Sendable () -> Void) { add(.closure(work)) }

  /// As `submit`, but at once if this is the loop and nothing waits: for the handler of a source, in whose midst nothing
  /// else is.
  package func runOrSubmit(_ work: @escaping @Sendable () -> Void) {
    if isCurrent, queue.withLock({ $0.count }) == 0 { work() } else { submit(work) }
  }

  package func enqueue(_ job: consuming ExecutorJob) { add(.job(UnownedJob(job))) }

  package var isCurrent: Bool { unsafe mediator_thread_owner() == UnsafeRawPointer(address) }

  package func isIsolatingCurrentContext() -> Bool? { isCurrent }

  package func checkIsolated() { precondition(isCurrent, "not on the event loop \(name)") }

  /// Runs what is queued, ends the thread and releases every source; returns when the thread is done, on the loop at once.
  package func shutdown() {
    wake(queue.withLock { $0.stop() })
    if !isCurrent { ended.waitOpen() }
  }

  // MARK: Sources

  /// Calls the handler on the loop whenever the descriptor is readable, until the source is cancelled.
  ///
  /// From another thread this waits for the loop's answer. Fails with EPERM for what epoll cannot watch, EEXIST for a
  /// descriptor that is watched already, ESHUTDOWN after `shutdown()`.
  package func watch(
    descriptor: Int32, priority: Priority = .normal, _ handler: @escaping @Sendable () -> Void
  ) throws(LinuxError) -> EventSource {
    let source = EventSource(loop: self, kind: .descriptor, handler: handler)
    try Self.check(
      "sd_event_add_io", onLoop { self.register(source, descriptor: descriptor, priority: priority) })
    return source
  }

  /// Calls the handler once, after a time on CLOCK_MONOTONIC.
  ///
  /// That is the clock on which systemd counts its own timeouts: no wall clock, and a night of system sleep does not
  /// use up a stop budget.
  @discardableResult
  package func timer(
    after delay: Duration, priority: Priority = .normal, _ handler: @escaping @Sendable () -> Void
  ) -> EventSource {
    let due = MonotonicClock.microseconds(after: delay)
    let source = EventSource(loop: self, kind: .timer, handler: handler)
    let arm: @Sendable () -> Void = {
      // The descriptor behind all timers exists since init, so only memory can be missing.
      let result = self.register(source, due: due, priority: priority)
      precondition(result >= 0 || result == -ESHUTDOWN, "sd_event_add_time: \(LinuxError.text(-result))")
    }
    if isCurrent { arm() } else { submit(arm) }
    return source
  }

  func remove(_ source: EventSource) {
    if source.kind == .urgent { return removeUrgent(source) }
    guard let raw = unsafe source.raw else { return }
    unsafe source.raw = nil
    unsafe sd_event_source_disable_unref(raw)
    unsafe sources[ObjectIdentifier(source)] = nil
  }
}

// MARK: - On the loop's thread

extension EventLoop {
  private var address: UnsafeMutableRawPointer { unsafe Unmanaged.passUnretained(self).toOpaque() }

  private static func check(_ call: String, _ result: Int32) throws(LinuxError) {
    if result < 0 { throw LinuxError(call, -result) }
  }

  private func add(_ work: Work) { wake(queue.withLock { $0.append(work) }) }

  private func wake(_ wake: WorkQueue.Wake) {
    switch wake {
    case .nothing: break
    case .thread: mediator_eventfd_raise(wakeDescriptor)
    case .lateThread: startLateThread()
    }
  }

  private func run() {
    unsafe mediator_thread_set_owner(address)
    while !queue.withLock({ $0.finished }) { turn() }
    removeSources(withWake: true)
    mediator_thread_set_owner(nil)
    ended.stayOpen()
  }

  /// One turn of sd-event, but with a wait of our own: a signal that arrives on this thread costs sd-event a second
  /// turn for its EINTR, and here only a second poll(2).
  private func turn() {
    var ready = unsafe sd_event_prepare(event)
    // Where several sources are always ready, sd-event has the next one in hand each time, and nothing is waited for.
    unsafe waitForAny(sd_event_get_fd(event), waits: ready == 0)
    if ready == 0 { ready = unsafe sd_event_wait(event, 0) }
    if ready > 0 { ready = unsafe sd_event_dispatch(event) }
    precondition(ready >= 0 || ready == -EINTR, "sd_event: \(LinuxError.text(-ready))")
  }

  /// Runs what was queued when it began; what that work queues in its turn waits until the other sources had theirs.
  private func runQueue() {
    mediator_eventfd_clear(wakeDescriptor)
    for _ in 0..<queue.withLock({ $0.count }) {
      guard let work = queue.withLock({ $0.next() }) else { break }
      perform(work)
    }
    let ending = queue.withLock { $0.stopping && $0.count == 0 }
    if ending { removeSources() }  // whose handlers may own something that submits in its deinit
    let asleep = queue.withLock { $0.sleepIfEmpty(ending: ending) }
    if !asleep { mediator_eventfd_raise(wakeDescriptor) }
  }

  var isFinished: Bool { queue.withLock { $0.finished } }

  private func perform(_ work: Work) {
    switch work {
    case .closure(let body): body()
    case .job(let job): unsafe job.runSynchronously(on: asUnownedSerialExecutor())
    }
  }

  private func removeSources(withWake: Bool = false) {
    for source in unsafe Array(sources.values) + urgent.map(\.source) where withWake || source.kind != .wake {
      remove(source)
      source.release()
    }
  }

  private func register(_ source: EventSource, descriptor: Int32, priority: Priority) -> Int32 {
    if queue.withLock({ $0.finished }) { return -ESHUTDOWN }
    var raw: OpaquePointer?
    let result = unsafe sd_event_add_io(
      event, &raw, descriptor, UInt32(EPOLLIN.rawValue),
      { _, _, _, context in
        unsafe Unmanaged<EventSource>.fromOpaque(context!).takeUnretainedValue().fire()
        return 0
      }, Unmanaged.passUnretained(source).toOpaque())
    return unsafe result < 0 ? result : keep(source, raw, priority)
  }

  private func register(_ source: EventSource, due: UInt64, priority: Priority) -> Int32 {
    if source.isCancelled { return 0 }
    if queue.withLock({ $0.finished }) { return -ESHUTDOWN }
    var raw: OpaquePointer?
    let result = unsafe sd_event_add_time(
      event, &raw, CLOCK_MONOTONIC, due, 1,
      { _, _, context in
        unsafe Unmanaged<EventSource>.fromOpaque(context!).takeUnretainedValue().fire()
        return 0
      }, Unmanaged.passUnretained(source).toOpaque())
    return unsafe result < 0 ? result : keep(source, raw, priority)
  }

  private func keep(_ source: EventSource, _ raw: OpaquePointer?, _ priority: Priority) -> Int32 {
    unsafe source.raw = raw
    unsafe sources[ObjectIdentifier(source)] = source
    return unsafe sd_event_source_set_priority(raw, priority.rawValue)
  }

  /// sd-event makes its timer descriptor with the first timer; made here, a timer later cannot fail for want of one.
  private func reserveTimer() throws(LinuxError) {
    var raw: OpaquePointer?
    let result = unsafe sd_event_add_time(event, &raw, CLOCK_MONOTONIC, .max, 1, nil, nil)
    try Self.check("sd_event_add_time", result)
    unsafe sd_event_source_disable_unref(raw)
  }

  func onLoop(_ body: @escaping @Sendable () -> Int32) -> Int32 {
    if isCurrent { return body() }
    let answer = Guarded<Int32>(0)
    let answered = Gate()
    submit {
      let result = body()
      answer.withLock { $0 = result }
      answered.stayOpen()
    }
    answered.waitOpen()
    return answer.withLock { $0 }
  }

  /// Work that comes after the end still runs, or whoever awaits it would hang: on a thread that lives as long as the
  /// queue has some.
  private func startLateThread() {
    let retained = unsafe Unmanaged.passRetained(self)
    let started = unsafe mediator_thread_start(
      name, MEDIATOR_MASK_ALL_BLOCKED, { unsafe Unmanaged<EventLoop>.fromOpaque($0!).takeRetainedValue().runLate() },
      retained.toOpaque())
    precondition(started >= 0, "pthread_create: \(LinuxError.text(-started))")
  }

  private func runLate() {
    ended.waitOpen()
    unsafe mediator_thread_set_owner(address)
    while let work = queue.withLock({ $0.nextOrSleep() }) { perform(work) }
    mediator_thread_set_owner(nil)
  }
}
