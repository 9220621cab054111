internal import Glibc
internal import Mediator
internal import MediatorLinux

/// One program with all that surrounds it: carries out what its machine wants done, one thing after the other.
///
/// It lives on the loop that watches its process, its messages and its timers.
actor Program {
  /// What others are told of, on the loop.
  struct Observer: Sendable {
    /// Where it stands, for STATUS and for its scene.
    var changed: @Sendable (ProgramState) -> Void = { _ in }
    /// It reloads or has reloaded by itself, or says that it is about to end.
    var announced: @Sendable (NotifyMessage.Change) -> Void = { _ in }
    /// It has sent a message that counts.
    var said: @Sendable (NotifyMessage) -> Void = { _ in }
    /// It has ended for good.
    var over: @Sendable (ProgramEnd) -> Void = { _ in }
  }

  /// What every program of one lifecycled shares.
  struct Surroundings: Sendable {
    var loop: EventLoop
    var runner: HookRunner
    var log: EventLog
    let store: DescriptorStore
    /// The manager's, by name.
    var sockets: [String: [Int32]] = [:]
    /// There is no other program: it is the service itself.
    var isAlone = false
    /// Whether the stop of all has begun.
    var isStopping: @Sendable () -> Bool = { false }
    /// Where programs get control groups of their own; nil where that is not ours to do.
    var groups: ControlGroup?
    /// Those that run, by number.
    let children = Shared<[Int32: Child]>([:])
    /// Whether there is anything to search for after an end.
    let orphans = OrphanLook()

    var running: [Child] { children.withLock { Array($0.values) } }
  }

  private struct Running {
    var source: EventSource
    var end: ContinuousClock.Instant
  }

  nonisolated let title: String
  /// Tells it from other copies of the same program.
  nonisolated let number: UInt64
  let surroundings: Surroundings
  let observer: Observer
  var machine: ProgramMachine
  var copy: ProgramCopy?
  /// What it said last of its errors, ERRNO= and BUSERROR=.
  var errno: Int32?
  var busError: String?
  private var timers: [ProgramTimer: Running] = [:]
  var readiness: Task<Void, Never>?
  var health: Task<Void, Never>?
  /// The commands of a reload.
  var asking: Task<Void, Never>?
  private var inputs: [ProgramInput] = []
  private var isPumping = false
  private var startWaiters: [CheckedContinuation<String?, Never>] = []
  private var endWaiters: [CheckedContinuation<ProgramEnd, Never>] = []
  private var reloadWaiters: [CheckedContinuation<String?, Never>] = []

  nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe surroundings.loop.asUnownedSerialExecutor() }
  nonisolated var log: EventLog { surroundings.log }

  init(_ definition: Kept<ProgramDefinition>, number: UInt64, in surroundings: Surroundings, observer: Observer) {
    title = definition.wrappedValue.title
    self.number = number
    self.surroundings = surroundings
    self.observer = observer
    machine = ProgramMachine(definition)
  }

  // MARK: What is asked of it

  /// Returns when it is ready; the reason when it has ended for good before that, or will not be started.
  ///
  /// Cancelled, it is stopped.
  func start() async -> String? {
    submit(.start)
    return await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        startWaiters.append(continuation)
        answerStart()
      }
    } onCancel: {
      surroundings.loop.submit { self.assumeIsolated { $0.submit(.stop) } }
    }
  }

  /// Returns when it has ended for good.
  func end() async -> ProgramEnd {
    await withCheckedContinuation { continuation in
      endWaiters.append(continuation)
      answerEnd()
    }
  }

  /// Stops it, and returns when nothing of it is left.
  func stop() async -> ProgramEnd {
    submit(.stop)
    return await end()
  }

  /// Returns what came of it: nil when it has reloaded.
  func reload() async -> String? {
    await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        reloadWaiters.append(continuation)
        submit(.reload)
      }
    } onCancel: {
      surroundings.loop.submit { self.assumeIsolated { $0.leaveReload() } }
    }
  }

  private func leaveReload() {
    asking?.cancel()
    submit(.reloadRefused("cancelled"))
  }

  /// Takes another definition; one that needs a new process gets it now, and this returns when that is ready.
  func replace(by definition: Kept<ProgramDefinition>) async -> String? {
    let needsRenewal = machine.definition.needsRenewal(for: definition.wrappedValue)
    machine.$definition = definition
    guard needsRenewal, machine.phase != .idle else { return nil }
    return await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        // Answered when the machine has looked at it: it is still what it was.
        startWaiters.append(continuation)
        submit(.renew)
      }
    } onCancel: {
      surroundings.loop.submit { self.assumeIsolated { $0.leaveStarts() } }
    }
  }

  /// Whoever waits for it to become ready waits no more.
  private func leaveStarts() {
    let waiters = startWaiters
    startWaiters = []
    for waiter in waiters { waiter.resume(returning: "cancelled") }
  }

  /// Takes another definition without a new process: nothing is started in a stop.
  func note(_ definition: Kept<ProgramDefinition>) { machine.$definition = definition }

  /// Says once more where it stands.
  func tell() { observer.changed(ProgramState(machine)) }

  /// Ends all of it at once, when there is no time left; nothing of it is started again.
  func killAtOnce() {
    submit(.stop)
    if let copy { killGroup(of: copy) }
  }

  /// Why it is not well; nil when it is.
  var trouble: String? { machine.trouble }

  // MARK: Inputs and effects

  func submit(_ input: ProgramInput) {
    inputs.append(input)
    guard !isPumping else { return }
    isPumping = true
    begin { await $0.pump() }
  }

  /// Runs it here; what is awaited of nobody's own runs on the first thread, and not on Swift's pool.
  @discardableResult
  func begin(_ body: @escaping @Sendable (isolated Program) async -> Void) -> Task<Void, Never> {
    Task { await withTaskExecutorPreference(FirstThread.executor) { await body(self) } }
  }

  private func pump() async {
    while !inputs.isEmpty {
      for effect in machine.handle(inputs.removeFirst()) { await perform(effect) }
    }
    isPumping = false
  }

  private func perform(_ effect: ProgramEffect) async {
    switch effect {
    case .spawn: spawn()
    case .beginReadiness: beginReadiness()
    case .endReadiness:
      readiness?.cancel()
      readiness = nil
    case .beginHealth: beginHealth()
    case .endHealth:
      health?.cancel()
      health = nil
    case .askForReload: askForReload()
    case .reloadEnded(let reason): endReloads(reason)
    case .ownReload(let change): observer.announced(change)
    case .stopsItself: observer.announced(.stopping)
    case .runStopCommands: runStopCommands()
    case .signal(let number): signalEnd(number)
    case .kill: await kill()
    case .arm(let timer, let time): arm(timer, time)
    case .extend(let timer, let time): extend(timer, time)
    case .disarm(let timer): timers.removeValue(forKey: timer)?.source.cancel()
    case .restarts(let end, let pause): log.log(.warning, "program \(title): \(end.text); starting again in \(pause)")
    case .over(let end): over(end)
    case .changed: changed()
    }
  }

  private func arm(_ timer: ProgramTimer, _ time: TimeSpan) {
    timers.removeValue(forKey: timer)?.source.cancel()
    guard let duration = time.duration else { return }
    let source = surroundings.loop.timer(after: duration) { self.assumeIsolated { $0.submit(.overdue(timer)) } }
    timers[timer] = Running(source: source, end: .now + duration)
  }

  /// EXTEND_TIMEOUT_USEC= never makes a time shorter, and ends none that has no end.
  private func extend(_ timer: ProgramTimer, _ time: TimeSpan) {
    guard let running = timers[timer], let duration = time.duration, .now + duration > running.end else { return }
    arm(timer, time)
  }

  private func endReloads(_ reason: String?) {
    let waiters = reloadWaiters
    reloadWaiters = []
    for waiter in waiters { waiter.resume(returning: reason) }
  }

  private func over(_ end: ProgramEnd) {
    // A failure is logged by whoever it is told to.
    if !end.isFailure, case .exited = end { log.log(.notice, "program \(title): \(end.text), by itself") }
    endReloads(end.text)
    answerStart()
    answerEnd()
    observer.over(end)
  }

  private func changed() {
    observer.changed(ProgramState(machine))
    answerStart()
  }

  private func answerStart() {
    let answer: String?
    switch machine.phase {
    case .ready, .reloading: answer = nil
    case .over(let end): answer = end.text
    case .idle, .starting, .ending, .pausing: return
    }
    let waiters = startWaiters
    startWaiters = []
    for waiter in waiters { waiter.resume(returning: answer) }
  }

  private func answerEnd() {
    guard case .over(let end) = machine.phase else { return }
    let waiters = endWaiters
    endWaiters = []
    for waiter in waiters { waiter.resume(returning: end) }
  }
}
