public import Foundation
internal import Synchronization

/// Tells listeners of the lifecycle's notifications, in order, and gathers what they say.
///
/// It holds one observation per event, since NotificationCenter on Linux calls observers in random order, and keeps
/// its own list. Listeners are called one after the other: in registration order, and in reverse order for
/// `willResignActive`, `didEnterBackground`, `revertReload` and `willTerminate`. A post that arrives while another is
/// being delivered is delivered after it.
public final class LifecycleMediator: Sendable {
  /// Names one listener of one mediator, for `remove`.
  public struct Token: Hashable, Sendable {
    let number: UInt64
    let mediator: ObjectIdentifier
  }

  enum Work: Sendable {
    case deliver(LifecycleTransition, isForeign: Bool)
    case bring([Registration], @Sendable (ListenerFailure?) -> Void)
    case retire([Registration], @Sendable () -> Void)

    var transition: LifecycleTransition? {
      if case .deliver(let transition, _) = self { transition } else { nil }
    }
  }

  struct State {
    var list = RegistrationList()
    var observers: [ObserverToken] = []
    /// Of groups; apart from those of listeners.
    var nextGroup: UInt64 = 1 << 63
    var queue: [Work] = []
    var isBusy = false
    /// What is being done, and the transition that it delivers, if it does.
    var walk: (Walk, LifecycleTransition?)?
    /// What a listener that comes late is told, to be where the others are.
    var trail: [LifecycleEvent] = []
    var isOver = false
    /// How long each listener took last time, if that is measured.
    var durations: [UInt64: [LifecycleEvent: Duration]] = [:]
    var measuresDurations = false
  }

  /// That a task tells a mediator's listeners, to keep `add` and `remove` in a callback from waiting for themselves.
  ///
  /// Tasks that a callback starts inherit it, so it says when it is over.
  final class Telling: Sendable {
    let mediator: ObjectIdentifier
    private let isOver = Atomic(false)
    init(_ mediator: LifecycleMediator) { self.mediator = ObjectIdentifier(mediator) }
    func end() { isOver.store(true, ordering: .releasing) }
    var isOn: Bool { !isOver.load(ordering: .acquiring) }
  }

  @TaskLocal static var telling: Telling?

  /// Whether the current task is inside a callback of one of our listeners.
  var isTelling: Bool {
    guard let telling = Self.telling else { return false }
    return telling.mediator == ObjectIdentifier(self) && telling.isOn
  }

  var isStopping: Bool {
    guard let state = lifecycle?.state else { return false }
    return state == .stopping || state == .stopped
  }

  let state = Locked(State())
  let lifecycle: Lifecycle?
  /// What the listeners share.
  private let context: LifecycleContext
  private let executor: (any TaskExecutor)?
  /// Sees each listener being told; for tests.
  let recorder: (@Sendable (_ listener: String, LifecycleTransition) -> Void)?

  /// Subscribes the listeners to the posts of a lifecycle.
  ///
  /// - Parameters:
  ///   - center: where the notifications are posted.
  ///   - object: the lifecycle whose notifications count; nil takes those of everybody. Only with a lifecycle do the
  ///     listeners count towards what it can do, such as reload, and only then do their time limits count for posts of
  ///     somebody else.
  ///   - executor: where listeners run; nil is the global executor, and the thread that posts for those
  ///     `SynchronousListener`s that stand first.
  ///   - injector: whose entries come before the listeners, if nobody has taken them yet.
  ///   - listeners: evaluated once, here.
  public convenience init(
    center: NotificationCenter = .default, object: Lifecycle? = nil, executor: (any TaskExecutor)? = nil,
    injector: LifecycleInjector? = nil, @ListenerBuilder _ listeners: () -> [ListenerEntry]
  ) {
    self.init(center: center, object: object, executor: executor, injector: injector, recorder: nil, listeners)
  }

  /// - Parameter center: nil where the lifecycle posts nowhere, and tells its mediators itself.
  package init(
    center: NotificationCenter?, object: Lifecycle?, executor: (any TaskExecutor)? = nil,
    injector: LifecycleInjector? = nil,
    recorder: (@Sendable (_ listener: String, LifecycleTransition) -> Void)?,
    @ListenerBuilder _ listeners: () -> [ListenerEntry]
  ) {
    self.executor = executor
    self.recorder = recorder
    lifecycle = object
    context = object?.context ?? LifecycleContext()
    injector?.deliver(to: self)
    let entries = listeners()
    state.withLock { $0.list.reserve(entries.count) }
    for entry in entries { insert(entry, before: nil) }
    if let center { observe(center) }
    lifecycle?.enroll(self)
    catchUp()
  }

  private func observe(_ center: NotificationCenter) {
    let observers = LifecycleEvent.allCases.map { event in
      // A scene's events have the scene as their object.
      let object = event.isOfScene ? nil : lifecycle
      return ObserverToken(center: center, name: event.notificationName, object: object) { [weak self] notification in
        self?.receive(event, notification)
      }
    }
    state.withLock { $0.observers = observers }
  }

  deinit {
    for registration in state.withLock({ $0.list }).all { lifecycle?.count(registration.abilities, -1) }
  }

  /// A mediator that comes late brings its listeners to where the lifecycle is.
  private func catchUp() {
    guard let newest = lifecycle?.newestEvent else { return }
    let late = state.withLock { state in
      state.trail = Self.trail(newest, state.trail)
      return state.trail.isEmpty ? [] : state.list.all
    }
    var entries: [(UInt64, [Registration])] = []
    for registration in late {
      if entries.last?.0 == registration.entryNumber {
        entries[entries.count - 1].1.append(registration)
      } else {
        entries.append((registration.entryNumber, [registration]))
      }
    }
    for (number, registrations) in entries { bringLater(token(number), registrations) }
  }

  // MARK: Posts

  /// Runs synchronously inside the post.
  private func receive(_ event: LifecycleEvent, _ notification: Notification) {
    if let transition = posted(by: notification, event) ?? notification.lifecycleTransition, transition.event == event {
      receive(transition)
    } else {
      let transition = LifecycleTransition(
        event: event, reason: Self.usualReason(of: event), origin: .foreignPost, context: context,
        reports: lifecycle?.hub,
        isPosted: true)
      // With an executor nobody's listeners run on a thread that is not its own.
      enqueue(.deliver(transition, isForeign: true), mayLead: executor == nil)
    }
  }

  /// The transition that the lifecycle posts on this very thread, which is sooner known than found in the notification.
  private func posted(by notification: Notification, _ event: LifecycleEvent) -> LifecycleTransition? {
    guard let lifecycle, lifecycle.isDelivering, notification.userInfo?.count == 1,
      let transition = lifecycle.posting.withLock({ $0 }), transition.event == event,
      !transition.hasJoined(self)
    else { return nil }
    return transition
  }

  /// Once: the post may be left behind before it has come here, and come after all.
  func receive(_ transition: LifecycleTransition) {
    if transition.event.isOfScene, let lifecycle, transition.scene?.lifecycle !== lifecycle { return }
    guard transition.join(self) else { return }
    if transition.reason == .stop, transition.event != .shouldTerminate { dropOccurrences() }
    enqueue(.deliver(transition, isForeign: false), mayLead: true)
    // A stop does not wait for the start of a newcomer, either.
    if transition.reason == .stop { cancelNewcomer() }
  }

  /// A stop waits for whoever is being told, but not for what waits itself.
  private func dropOccurrences() {
    let dropped: [LifecycleTransition] = state.withLock { state in
      let transitions = state.queue.compactMap(\.transition).filter { $0.event.isOccurrence }
      if !transitions.isEmpty { state.queue.removeAll { $0.transition?.event.isOccurrence == true } }
      return transitions
    }
    if dropped.isEmpty { return }
    lifecycle?.hub.send(.occurrencesDropped(dropped.count))
    for transition in dropped { transition.leave(failures: [], isCutShort: true) }
  }

  private static func usualReason(of event: LifecycleEvent) -> LifecycleReason {
    switch event {
    case .prepareReload, .reload, .revertReload: .reload
    case .willResignActive, .didEnterBackground: .pause
    case .willTerminate, .shouldTerminate, .encodeState: .stop
    default: .start
    }
  }

  /// What brings a newcomer to where this event leaves the others.
  static func trail(_ event: LifecycleEvent, _ before: [LifecycleEvent]) -> [LifecycleEvent] {
    switch event {
    case .willFinishLaunching: [.willFinishLaunching]
    case .didFinishLaunching, .willResignActive, .didEnterBackground: [.willFinishLaunching, .didFinishLaunching]
    case .willEnterForeground: [.willFinishLaunching, .didFinishLaunching, .willEnterForeground]
    case .didBecomeActive: [.willFinishLaunching, .didFinishLaunching, .willEnterForeground, .didBecomeActive]
    case .willTerminate: []
    default: before
    }
  }

  // MARK: The queue

  /// Work is done one after the other; whoever adds to an idle queue starts it.
  ///
  /// - Parameter mayLead: it comes from inside a post, on a thread where listeners may be told.
  func enqueue(_ work: Work, mayLead: Bool = false) {
    let isIdle = state.withLock { state in
      if state.isBusy { state.queue.append(work) }
      defer { state.isBusy = true }
      return !state.isBusy
    }
    if isIdle { begin(work, mayLead: mayLead) }
  }

  func doNext() {
    let work: Work? = state.withLock { state in
      state.walk = nil
      guard !state.queue.isEmpty else {
        state.isBusy = false
        return nil
      }
      return state.queue.removeFirst()
    }
    // Not on this thread: a queue that is full would be a call in a call in a call.
    if let work { begin(work, mayLead: false) }
  }

  private func begin(_ work: Work, mayLead: Bool) {
    let walk = makeWalk(work)
    state.withLock { $0.walk = (walk, work.transition) }
    // Nobody is brought up any more once the lifecycle stops.
    if walk.kind.isArrival, isStopping { walk.cancel() }
    // What was asked of the transition while it waited for its turn.
    if case .deliver(let transition, isForeign: false) = work {
      if let control = transition.control { walk.apply(control) }
      if mayLead, walk.canLead, transition.leadAfterPost(walk) { return }
    } else if mayLead, walk.canLead {
      return walk.lead()
    }
    walk.begin()
  }

  /// "3/7: NAME", for STATUS; nil when another one is being told.
  func progress(of transition: LifecycleTransition) -> String? {
    guard let (walk, current) = state.withLock({ $0.walk }), current === transition else { return nil }
    return walk.progress
  }

  /// Looks whether somebody takes too long for a call without another limit, and says when to look again.
  func lookAtCall(_ now: ContinuousClock.Instant, _ limit: Duration) -> ContinuousClock.Instant? {
    state.withLock({ $0.walk })?.0.lookAtCall(now, limit)
  }

  /// Asks something of a transition that is being told, or of what it has to wait for.
  func apply(_ control: LifecycleTransition.Control, to transition: LifecycleTransition) {
    guard let (walk, current) = state.withLock({ $0.walk }) else { return }
    if current === transition { return walk.apply(control) }
    // What is in front is told to the end, only faster; but a newcomer's start is given up.
    switch control {
    case .cancel: if walk.kind.isArrival { walk.cancel() } else { walk.hasten() }
    case .hasten: walk.hasten()
    case .passOver, .abandon: walk.passOver(isEnding: walk.kind.isArrival)
    }
  }

  /// - Parameter isBranch: it runs beside others, on a thread of its own.
  func startTask(isBranch: Bool, _ body: @escaping @Sendable () async -> Void) -> Task<Void, Never> {
    Task(executorPreference: isBranch ? BlockingExecutor() : executor) {
      let telling = Telling(self)
      await Self.$telling.withValue(telling) { await body() }
      telling.end()
    }
  }

  /// Tells listeners on this thread, without a task.
  func tellHere<Result>(_ body: () -> Result) -> Result {
    let telling = Telling(self)
    defer { telling.end() }
    return Self.$telling.withValue(telling, operation: body)
  }

  func token(_ number: UInt64) -> Token { Token(number: number, mediator: ObjectIdentifier(self)) }
}
