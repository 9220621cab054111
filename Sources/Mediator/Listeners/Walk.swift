internal import Synchronization

/// One delivery on its way from listener to listener, which can leave behind one that does not return.
///
/// The listeners are told on one task, but those in front that need none on the thread that posts. When one is left
/// behind, so is that task or thread, and another task goes on with the next.
/// While nothing is asked of it, a walk takes no lock: it says in `position` who is being told and looks at
/// `attention` before the next one. Whoever raises `attention` waits for the grace before it reads `position`.
final class Walk: Sendable {
  struct State {
    /// Which task may go on; one that was left behind finds that it may not.
    var round = 0
    var task: Task<Void, Never>?
    var timer: (any LifecycleTimer)?
    var failed: [Failed] = []
    /// Groups that are not told further, since one that they require has failed.
    var failedGroups: Set<ObjectIdentifier> = []
    /// When the time of a group is over.
    var deadlines: [ObjectIdentifier: GroupDeadline] = [:]
    /// Those who are being told at once.
    var branches: [Walk] = []
    /// Nobody else is told.
    var isEnding = false
    /// That is so because the time of the whole is over.
    var isAbandoned = false
    /// Then somebody was not told.
    var isCutShort = false
    var hasFailed = false
    /// Cancelled, but for its own time: an error is no failure.
    var isCancelled = false
    /// The current call was cancelled because its time was over, or because the stop is hastened.
    var isOverdue = false
    var isHastened = false
    var isOver = false
    /// Grows with each call that has a limit of its own, so that a late timer hits nobody else.
    var call: UInt64 = 0
    /// Who was told when it was last looked whether one call takes too long, and when to look again.
    var look: (place: Int, due: ContinuousClock.Instant)?
    /// When it began on the thread of the post, which may have gone on for long before.
    var led: ContinuousClock.Instant?
    /// The call on its way, if it is traced.
    var traced: TracedCall?
  }

  /// The time of a group counts for each event anew.
  struct GroupDeadline: Sendable {
    var event: LifecycleEvent
    var instant: ContinuousClock.Instant
  }

  struct Failed: Sendable {
    var registration: Registration
    var failure: ListenerFailure
  }

  struct Outcome: Sendable {
    var failed: [Failed]
    /// A failure made it end before everybody was told.
    var hasFailed: Bool
    /// It was abandoned before everybody was told.
    var isCutShort: Bool
    var failures: [ListenerFailure] { failed.map(\.failure) }
  }

  /// What kind of walk it is.
  struct Kind: Sendable {
    /// Somebody else's post: told whatever was told before.
    var isForeign = false
    /// Newcomers are brought up: any failure that they cannot contain ends it.
    var isArrival = false
    /// The own stop of those that leave.
    var isRetirement = false
    /// What a `Concurrently` holds, told on a thread of its own.
    var within: GroupNode?
  }

  let steps: WalkSteps
  let kind: Kind
  let mediator: LifecycleMediator
  let state = Locked(State())
  let position = Atomic<Int>(-1)
  let attention = Atomic<Bool>(false)
  private let done: (@Sendable (Outcome) -> Void)?

  init(_ steps: WalkSteps, _ kind: Kind, mediator: LifecycleMediator, done: (@Sendable (Outcome) -> Void)?) {
    self.steps = steps
    self.kind = kind
    self.mediator = mediator
    self.done = done
  }

  /// "3/7: NAME", for STATUS.
  var progress: String? {
    let (branches, isOver) = state.withLock { ($0.branches, $0.isOver) }
    guard !isOver, let step = steps[position.load(ordering: .acquiring)] else { return nil }
    let names = branches.isEmpty ? [step.registration.name] : branches.compactMap(\.currentName)
    let place = "\(position.load(ordering: .acquiring) + 1)/\(steps.count)"
    return names.isEmpty ? nil : "\(place): \(names.joined(separator: ", "))"
  }

  private var currentName: String? {
    if state.withLock({ $0.isOver }) { return nil }
    return steps[position.load(ordering: .acquiring)]?.registration.name
  }

  func begin(after index: Int? = nil) { spawn(0, after: index) }

  /// - Parameter index: of who was told last; if not given, where the position stands.
  func spawn(_ round: Int, after index: Int? = nil) {
    let task = mediator.startTask(isBranch: kind.within != nil) { await self.go(round, after: index) }
    let isCancelled = state.withLock { state in
      if state.round == round, !state.isOver { state.task = task }
      return state.isCancelled
    }
    if isCancelled { cancel(task) }
  }

  /// Cancelling runs the cancellation handlers of whoever is being told, which must not hold up the loop.
  func cancel(_ task: Task<Void, Never>?) {
    if let task { Task.detached(executorPreference: mediator.lifecycle?.beside) { task.cancel() } }
  }

  // MARK: On the way

  private func go(_ round: Int, after index: Int?) async {
    let isWatched = mediator.isWatched
    var index = index ?? position.load(ordering: .acquiring)
    // Not before: the task may have had to wait for its thread.
    if round == 0 { watch() }
    while true {
      if !isWatched {
        guard tellQuickOnes(&index, round), await tellPlainOnes(&index, round) else { return }
      }
      guard let (step, node) = advance(&index, round) else { return }
      if let node {
        await tellBranches(of: node, &index)
        continue
      }
      arm(step, round)
      let isTraced = isWatched && trace(step)
      let failure = await mediator.tell(step.registration, step.transition, isForeign: kind.isForeign)
      if failure != nil || isTraced || attention.load(ordering: .acquiring) || step.registration.isTimed {
        guard settle(step, failure, round) else { return }
      }
      if failure == nil, step.transition.event == .didFinishLaunching, !kind.isForeign,
        !state.withLock({ $0.isCancelled })
      {
        step.registration.beginRun(mediator)
      }
    }
  }

  /// The next one to be told, or the first of a concurrent group; nil at the end, or when this task was left behind.
  private func advance(_ index: inout Int, _ round: Int) -> (WalkSteps.Step, GroupNode?)? {
    while true {
      index += 1
      position.store(index, ordering: .releasing)
      if attention.load(ordering: .acquiring) || index >= steps.count {
        guard mayGoOn(round, index) else { return nil }
      }
      guard let step = steps[index] else { continue }
      if let group = step.registration.group {
        if isFailed(group, step.transition) { continue }
        if let node = group.outermostConcurrent(within: kind.within) { return (step, node) }
      }
      if mayTell(step) { return (step, nil) }
      if step.isLostToReload { noteLoss(of: step) }
    }
  }

  /// A reload that cannot reach somebody whom it needs has failed.
  private func noteLoss(of step: WalkSteps.Step) {
    let failure = ListenerFailure(
      listener: step.registration.name, event: step.transition.event, isRequired: step.registration.isRequired,
      message: "was left behind earlier and takes part in nothing: restart the service")
    state.withLock { note(Failed(registration: step.registration, failure: failure), step.transition, &$0) }
    step.transition.report(.listenerFailed(failure))
  }

  private enum Next { case goOn, end, freshTask, leave }

  func mayGoOn(_ round: Int, _ index: Int) -> Bool {
    let next: Next = state.withLock { state in
      guard state.round == round, !state.isOver else { return .leave }
      guard !state.isEnding, index < steps.count else {
        state.isOver = true
        if state.isAbandoned, !state.isCutShort { state.isCutShort = (index..<steps.count).contains(where: owes) }
        return .end
      }
      guard state.isOverdue || state.isHastened else { return .goOn }
      // It was meant for somebody who has just returned; but the task is cancelled and stays so.
      state.isOverdue = false
      state.isHastened = false
      state.round += 1
      position.store(index - 1, ordering: .releasing)
      return .freshTask
    }
    switch next {
    case .goOn: return true
    case .end: finish()
    case .freshTask: spawn(round + 1)
    case .leave: break
    }
    return false
  }

  private func mayTell(_ step: WalkSteps.Step) -> Bool {
    step.registration.isAddressed(step.transition, needed: step.needed) && mayTell(step.registration, step.transition)
  }

  /// Who has left is told nothing but its own stop.
  func mayTell(_ registration: Registration, _ transition: LifecycleTransition) -> Bool {
    registration.mayBeTold(of: transition.event, kind.isForeign, kind.isRetirement)
  }

  /// Whether somebody would still have been told.
  private func owes(_ index: Int) -> Bool {
    guard let (registration, transition, needed) = steps[index].map({ ($0.registration, $0.transition, $0.needed) }),
      !registration.isRemoved || kind.isRetirement, registration.isAddressed(transition, needed: needed)
    else { return false }
    return kind.isForeign || registration.wouldAdmit(transition.event)
  }

  private func isFailed(_ group: GroupNode, _ transition: LifecycleTransition) -> Bool {
    guard transition.isShortCut else { return false }
    return state.withLock { state in
      !state.failedGroups.isEmpty && group.chain.contains { state.failedGroups.contains(ObjectIdentifier($0)) }
    }
  }

  /// Notes what a call came to; false when another task goes on.
  func settle(_ step: WalkSteps.Step, _ failure: ListenerFailure?, _ round: Int) -> Bool {
    var failure = failure
    let (isMine, needsNewTask, timer, traced) = state.withLock { state in
      guard state.round == round, !state.isOver else {
        return (false, false, (any LifecycleTimer)?.none, TracedCall?.none)
      }
      let traced = state.takeTraced(failure)
      let timer = state.timer
      state.timer = nil
      state.call += 1
      if state.isOverdue {
        failure = Self.timeout(of: step)
        // Too late is failed, also when it has returned.
        if step.transition.event == .didFinishLaunching, !kind.isForeign { step.registration.markFailed() }
      } else if state.isCancelled || state.isHastened {
        // Who is cancelled may throw what it likes: it was asked to.
        failure = nil
      }
      if let failure { note(Failed(registration: step.registration, failure: failure), step.transition, &state) }
      // A task that was cancelled stays so; the others are told on a fresh one.
      let needsNewTask = state.isOverdue || state.isHastened
      state.isOverdue = false
      state.isHastened = false
      if needsNewTask { state.round += 1 }
      return (true, needsNewTask, timer, traced)
    }
    traced?.end()
    timer?.cancel()
    if isMine, let failure { report(failure, step) }
    if needsNewTask { spawn(round + 1) }
    return isMine && !needsNewTask
  }

  func report(_ failure: ListenerFailure, _ step: WalkSteps.Step) {
    step.transition.report(.listenerFailed(failure))
    if step.transition.event == .didFinishLaunching { failStartedMembers() }
  }

  static func timeout(of step: WalkSteps.Step) -> ListenerFailure {
    .timeout(step.registration.name, step.transition.event, isRequired: step.registration.isRequired)
  }

  private func finish() {
    let (outcome, timer) = state.withLock { state in
      defer {
        state.timer = nil
        state.task = nil
        state.branches = []
      }
      let outcome = Outcome(failed: state.failed, hasFailed: state.hasFailed, isCutShort: state.isCutShort)
      return (outcome, state.timer)
    }
    timer?.cancel()
    done?(outcome)
    if kind.within == nil { mediator.doNext() }
  }
}
