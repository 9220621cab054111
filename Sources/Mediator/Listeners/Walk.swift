/// One delivery on its way from listener to listener, which can leave behind one that does not return.
///
/// The listeners are told on one task. When one is left behind, so is that task, and another goes on with the next.
final class Walk: Sendable {
  private struct State {
    /// Which task may go on; one that was left behind finds that it may not.
    var round = 0
    var index = 0
    var current: Step?
    var task: Task<Void, Never>?
    var timer: (any LifecycleTimer)?
    var failures: [ListenerFailure] = []
    /// Nobody else is told.
    var isEnding = false
    /// Cancelled, but for its own time: an error is no failure.
    var isCancelled = false
    /// The current call was cancelled because its time was over, or because the stop is hastened.
    var isOverdue = false
    var isHastened = false
    var isOver = false
  }

  /// How long a call that was cancelled for its time may take to return before it is left behind.
  static let grace = Duration.milliseconds(250)

  /// One listener to be told of one transition.
  struct Step: Sendable {
    var registration: Registration
    var transition: LifecycleTransition
  }

  private let steps: [Step]
  /// Told whatever it has been told before.
  private let isForeign: Bool
  /// Any failure ends it, as with a newcomer that is brought up.
  private let endsAtFailure: Bool
  /// The own stop of one that leaves.
  private let isRetirement: Bool
  private let mediator: LifecycleMediator
  private let done: @Sendable ([ListenerFailure]) -> Void
  private let state = Locked(State())

  init(
    _ steps: [Step], isForeign: Bool = false, endsAtFailure: Bool = false, isRetirement: Bool = false,
    mediator: LifecycleMediator,
    done: @escaping @Sendable ([ListenerFailure]) -> Void
  ) {
    self.steps = steps
    self.isForeign = isForeign
    self.endsAtFailure = endsAtFailure
    self.isRetirement = isRetirement
    self.mediator = mediator
    self.done = done
  }

  /// "3/7: NAME", for STATUS.
  var progress: String? {
    state.withLock { state in
      state.current.map { "\(state.index)/\(steps.count): \($0.registration.entry.name)" }
    }
  }

  var isArrival: Bool { endsAtFailure }

  func begin() { spawn(0) }

  private func spawn(_ round: Int) {
    let task = mediator.startTask { await self.go(round) }
    let isCancelled = state.withLock { state in
      if state.round == round { state.task = task }
      return state.isCancelled
    }
    if isCancelled { Self.cancel(task) }
  }

  private func go(_ round: Int) async {
    while let step = next(round) {
      let failure = await mediator.tell(step.registration, step.transition, isForeign: isForeign)
      guard settle(step, failure, round) else { return }
    }
  }

  /// The next one to be told; nil at the end, or when this task was left behind.
  private func next(_ round: Int) -> Step? {
    while true {
      let (step, isAtEnd): (Step?, Bool) = state.withLock { state in
        guard state.round == round, !state.isOver else { return (nil, false) }
        guard !state.isEnding, state.index < steps.count else {
          state.isOver = true
          return (nil, true)
        }
        state.index += 1
        state.current = steps[state.index - 1]
        return (state.current, false)
      }
      if isAtEnd { finish() }
      guard let step else { return nil }
      let registration = step.registration
      guard mayTell(registration), isForeign || registration.admit(step.transition.event) else { continue }
      arm(registration, round)
      return step
    }
  }

  /// Who has left is told nothing but its own stop.
  private func mayTell(_ registration: Registration) -> Bool {
    !registration.isStuck && (!registration.isRemoved || isRetirement)
  }

  /// Notes what a call came to; false when another task goes on.
  private func settle(_ step: Step, _ failure: ListenerFailure?, _ round: Int) -> Bool {
    var failure = failure
    let (isMine, needsNewTask) = state.withLock { state in
      guard state.round == round, !state.isOver else { return (false, false) }
      state.timer?.cancel()
      state.timer = nil
      state.current = nil
      if state.isOverdue {
        failure = Self.timeout(of: step)
      } else if state.isCancelled || state.isHastened {
        // Who is cancelled may throw what it likes: it was asked to.
        failure = nil
      }
      if let failure { note(failure, of: step, &state) }
      // A task that was cancelled stays so; the others are told on a fresh one.
      let needsNewTask = state.isOverdue || state.isHastened
      state.isOverdue = false
      state.isHastened = false
      if needsNewTask { state.round += 1 }
      return (true, needsNewTask)
    }
    if isMine, let failure { step.transition.report(.listenerFailed(failure)) }
    if needsNewTask { spawn(round + 1) }
    return isMine && !needsNewTask
  }

  /// Cancelling runs the cancellation handlers of whoever is being told, which must not hold up the loop.
  private static func cancel(_ task: Task<Void, Never>?) {
    if let task { Task.detached { task.cancel() } }
  }

  private func note(_ failure: ListenerFailure, of step: Step, _ state: inout State) {
    state.failures.append(failure)
    let isShortCut = failure.isRequired && LifecycleMediator.isShortCut(by: step.transition)
    if isShortCut || endsAtFailure { state.isEnding = true }
  }

  private static func timeout(of step: Step) -> ListenerFailure {
    .timeout(step.registration.entry.name, step.transition.event, isRequired: step.registration.entry.isRequired)
  }

  private func finish() {
    let failures = state.withLock { state in
      state.timer?.cancel()
      state.timer = nil
      state.task = nil
      return state.failures
    }
    done(failures)
  }
}

// MARK: - Cutting short

extension Walk {
  func apply(_ control: LifecycleTransition.Control) {
    switch control {
    case .cancel: cancel()
    case .hasten: hasten()
    case .passOver: passOver(isEnding: false)
    case .abandon: passOver(isEnding: true)
    }
  }

  /// Tells nobody else, and asks the one that is being told to return.
  func cancel() {
    let task = state.withLock { state in
      state.isEnding = true
      state.isCancelled = true
      return state.task
    }
    Self.cancel(task)
  }

  /// Asks the one that is being told to return, and goes on with the others.
  func hasten() {
    let task: Task<Void, Never>? = state.withLock { state in
      guard state.current != nil else { return nil }
      state.isHastened = true
      return state.task
    }
    Self.cancel(task)
  }

  /// The time is over for the one that is being told: it may return a little late, then it is left behind.
  ///
  /// - Parameter isEnding: nobody else is told.
  func passOver(isEnding: Bool) {
    let (round, task): (Int, Task<Void, Never>?) = state.withLock { state in
      if isEnding { state.isEnding = true }
      guard state.current != nil else { return (state.round, nil) }
      state.isOverdue = true
      state.timer?.cancel()
      state.timer = nil
      return (state.round, state.task)
    }
    guard let task else { return }
    Self.cancel(task)
    keep(mediator.lifecycle?.timer(after: Self.grace) { [weak self] in self?.leaveBehind(round) }, round)
  }

  /// It has not returned in its time: it is never called again.
  private func leaveBehind(_ round: Int) {
    let left: (Step, ListenerFailure)? = state.withLock { state in
      guard state.round == round, !state.isOver, let current = state.current else { return nil }
      current.registration.markStuck()
      state.round += 1
      state.current = nil
      state.isOverdue = false
      state.isHastened = false
      let failure = Self.timeout(of: current)
      note(failure, of: current, &state)
      return (current, failure)
    }
    guard let (step, failure) = left else { return }
    step.transition.report(.listenerFailed(failure))
    mediator.lifecycle?.leaveDeliveryBehind()
    spawn(round + 1)
  }

  private func arm(_ registration: Registration, _ round: Int) {
    guard let timeout = registration.entry.timeout else { return }
    keep(mediator.lifecycle?.timer(after: timeout) { [weak self] in self?.overdue(round, registration) }, round)
  }

  private func overdue(_ round: Int, _ registration: Registration) {
    let isCurrent = state.withLock { $0.round == round && $0.current?.registration === registration }
    if isCurrent { passOver(isEnding: false) }
  }

  private func keep(_ timer: (any LifecycleTimer)?, _ round: Int) {
    let isKept = state.withLock { state in
      guard state.round == round, state.current != nil, !state.isOver else { return false }
      state.timer = timer
      return true
    }
    if !isKept { timer?.cancel() }
  }
}
