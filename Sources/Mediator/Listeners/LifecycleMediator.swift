public import Foundation

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
    case bring(Registration, @Sendable (ListenerFailure?) -> Void)
    case retire(Registration, @Sendable () -> Void)
  }

  struct State {
    var list = RegistrationList()
    var observers: [ObserverToken] = []
    var nextToken: UInt64 = 0
    var queue: [Work] = []
    var isBusy = false
    /// The newcomer that is being brought up.
    var bringing: Task<Void, Never>?
    /// What a listener that comes late is told, to be where the others are.
    var trail: [LifecycleEvent] = []
    var isOver = false
  }

  /// The mediator whose listener the current task is being told, to keep `add` and `remove` from waiting for it.
  @TaskLocal static var telling: ObjectIdentifier?

  let state = Locked(State())
  let lifecycle: Lifecycle?
  private let executor: (any TaskExecutor)?
  /// Sees each listener being told; for tests.
  let recorder: (@Sendable (_ listener: String, LifecycleTransition) -> Void)?

  /// Subscribes the listeners to the posts of a lifecycle.
  ///
  /// - Parameters:
  ///   - center: where the notifications are posted.
  ///   - object: the lifecycle whose notifications count; nil takes those of everybody. Only with a lifecycle do the
  ///     listeners count towards what it can do, such as reload.
  ///   - executor: where listeners run; nil is the global executor.
  ///   - listeners: evaluated once, here.
  public convenience init(
    center: NotificationCenter = .default, object: Lifecycle? = nil, executor: (any TaskExecutor)? = nil,
    @ListenerBuilder _ listeners: () -> [ListenerEntry]
  ) {
    self.init(center: center, object: object, executor: executor, recorder: nil, listeners)
  }

  package init(
    center: NotificationCenter, object: Lifecycle?, executor: (any TaskExecutor)? = nil,
    recorder: (@Sendable (_ listener: String, LifecycleTransition) -> Void)?,
    @ListenerBuilder _ listeners: () -> [ListenerEntry]
  ) {
    self.executor = executor
    self.recorder = recorder
    lifecycle = object
    for entry in listeners() { insert(entry, before: nil) }
    let observers = LifecycleEvent.allCases.map { event in
      ObserverToken(center: center, name: event.notificationName, object: object) { [weak self] notification in
        self?.receive(event, notification)
      }
    }
    state.withLock { $0.observers = observers }
    catchUp()
  }

  deinit { lifecycle?.countReloadListeners(-state.withLock { $0.list.reloadListeners }) }

  /// A mediator that comes late brings its listeners to where the lifecycle is.
  private func catchUp() {
    guard let newest = lifecycle?.newestEvent else { return }
    let late = state.withLock { state in
      state.trail = Self.trail(newest, state.trail)
      return state.trail.isEmpty ? [] : state.list.snapshot
    }
    for registration in late { enqueue(.bring(registration) { [weak self] in self?.reportFailure($0) }) }
  }

  // MARK: Posts

  /// Runs synchronously inside the post.
  private func receive(_ event: LifecycleEvent, _ notification: Notification) {
    if let transition = notification.lifecycleTransition, transition.event == event {
      guard transition.join() else { return }
      enqueue(.deliver(transition, isForeign: false))
      // A stop does not wait for the start of a newcomer, either.
      if transition.reason == .stop { cancelBringing() }
      transition.onCancel { [weak self] in self?.cancelBringing() }
    } else {
      let transition = LifecycleTransition(
        event: event, reason: Self.usualReason(of: event), origin: .foreignPost, reports: lifecycle?.hub)
      enqueue(.deliver(transition, isForeign: true))
    }
  }

  private static func usualReason(of event: LifecycleEvent) -> LifecycleReason {
    switch event {
    case .willFinishLaunching, .didFinishLaunching, .willEnterForeground, .didBecomeActive, .didReceiveSignal: .start
    case .prepareReload, .reload, .revertReload: .reload
    case .willResignActive, .didEnterBackground: .pause
    case .willTerminate: .stop
    }
  }

  /// What brings a newcomer to where this event leaves the others.
  static func trail(_ event: LifecycleEvent, _ before: [LifecycleEvent]) -> [LifecycleEvent] {
    switch event {
    case .willFinishLaunching: [.willFinishLaunching]
    case .didFinishLaunching, .willResignActive, .didEnterBackground: [.willFinishLaunching, .didFinishLaunching]
    case .willEnterForeground: [.willFinishLaunching, .didFinishLaunching, .willEnterForeground]
    case .didBecomeActive: [.willFinishLaunching, .didFinishLaunching, .willEnterForeground, .didBecomeActive]
    case .prepareReload, .reload, .revertReload, .didReceiveSignal: before
    case .willTerminate: []
    }
  }

  // MARK: The queue

  /// Work is done one after the other; whoever adds to an idle queue starts it.
  func enqueue(_ work: Work) {
    let isIdle = state.withLock { state in
      state.queue.append(work)
      defer { state.isBusy = true }
      return !state.isBusy
    }
    if isIdle { doNext() }
  }

  private func doNext() {
    let work: Work? = state.withLock { state in
      guard !state.queue.isEmpty else {
        state.isBusy = false
        return nil
      }
      return state.queue.removeFirst()
    }
    guard let work else { return }
    let task = Task(executorPreference: executor) {
      await Self.$telling.withValue(ObjectIdentifier(self)) { await self.perform(work) }
      self.doNext()
    }
    switch work {
    case .deliver(let transition, _): transition.onCancel { task.cancel() }
    case .bring: state.withLock { $0.bringing = task }
    case .retire: break
    }
  }

  private func cancelBringing() { state.withLock(\.bringing)?.cancel() }

  private func perform(_ work: Work) async {
    switch work {
    case .deliver(let transition, let isForeign): await deliver(transition, isForeign: isForeign)
    case .bring(let registration, let done): done(await bring(registration))
    case .retire(let registration, let done):
      await retire(registration)
      done()
    }
  }

  func reportFailure(_ failure: ListenerFailure?) {
    if let failure { lifecycle?.hub.send(.listenerFailed(failure)) }
  }
}
