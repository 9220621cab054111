/// A part of the service with a life of its own: a tenant, a socket, a supervised program.
///
/// Any number may be there at once. Each posts notifications of its own, with itself as `object`. When the lifecycle
/// goes to the background, for a pause, sleep or stop, every scene goes first; a reload leaves scenes where they are.
public final class LifecycleScene: Sendable {
  /// What happens to a scene, as in UIScene of iOS.
  public enum Event: String, Hashable, Sendable, CaseIterable {
    /// It is about to connect; a required listener's throw refuses it.
    case willConnect
    /// It is about to take work.
    case willEnterForeground
    /// It takes work.
    case didBecomeActive
    /// It is about to leave the foreground.
    case willResignActive
    /// It is in the background.
    case didEnterBackground
    /// It has gone, and may come back under its identifier.
    case didDisconnect
    /// It will not come back: what is kept for it can be deleted.
    case didDiscard

    /// The event of the whole process that carries it.
    public var lifecycleEvent: LifecycleEvent {
      switch self {
      case .willConnect: .sceneWillConnect
      case .willEnterForeground: .sceneWillEnterForeground
      case .didBecomeActive: .sceneDidBecomeActive
      case .willResignActive: .sceneWillResignActive
      case .didEnterBackground: .sceneDidEnterBackground
      case .didDisconnect: .sceneDidDisconnect
      case .didDiscard: .sceneDidDiscard
      }
    }
  }

  /// Where a scene stands.
  public enum State: String, Hashable, Sendable, CaseIterable {
    /// Listeners are asked whether it may connect.
    case connecting
    /// It takes work.
    case foreground
    /// It is connected, and takes no work.
    case background
    /// It is going.
    case disconnecting
    /// It has gone.
    case disconnected
    /// It has gone for good.
    case discarded
  }

  struct Core {
    var machine: SceneStateMachine
    var current: LifecycleTransition?
    var waiters: [SceneWaiter] = []
    /// What brings it where the lifecycle goes: what is asked of that counts for its own transitions, and what fails in
    /// them fails there.
    var leading: LifecycleTransition?
  }

  struct SceneWaiter: Sendable { var resume: @Sendable () -> Void }

  /// Names the scene among those that are connected.
  public let id: String
  /// Chooses who listens to it.
  public let kind: String
  let lifecycle: Lifecycle
  let core: Locked<Core>
  /// The listeners that were made for it, by who made them.
  let own = Locked<[ObjectIdentifier: any SceneListener]>([:])

  init(id: String, kind: String, lifecycle: Lifecycle, serves: Bool) {
    self.id = id
    self.kind = kind
    self.lifecycle = lifecycle
    core = Locked(Core(machine: SceneStateMachine(lifecycleServes: serves)))
  }

  /// Where it stands now.
  public var state: State { core.withLock({ $0.machine.state }) }

  /// Leaves the foreground, and returns when everybody was told; the lifecycle's own foreground is another matter.
  public func enterBackground() async { await ask(.wantForeground(false)) }

  /// Returns to the foreground, or stays in the background as long as the lifecycle does.
  public func enterForeground() async { await ask(.wantForeground(true)) }

  /// Goes; its identifier is free again when this returns.
  public func disconnect() async { await ask(.disconnect) }

  /// Goes for good: listeners delete what they keep for it.
  public func discard() async { await ask(.discard) }

  /// Submits it and waits until the scene has arrived.
  ///
  /// Inside a callback it does not wait, which would be for itself.
  func ask(_ input: SceneStateMachine.Input) async {
    if lifecycle.mediators.contains(where: \.isTelling) { return submit(input) }
    await withCheckedContinuation { continuation in
      submit(input) { continuation.resume() }
    }
  }

  /// - Parameter arrived: called when the scene is where it is to be.
  func submit(_ input: SceneStateMachine.Input, arrived: (@Sendable () -> Void)? = nil) {
    lifecycle.schedule { [self] in
      if let arrived { core.withLock { $0.waiters.append(SceneWaiter(resume: arrived)) } }
      process(input)
    }
  }

  /// Runs where the lifecycle's own inputs are processed.
  private func process(_ input: SceneStateMachine.Input) {
    let (event, before, after, arrived, isSettled, told) = core.withLock { core in
      let before = core.machine.state
      let event = core.machine.handle(input)
      var arrived: [SceneWaiter] = []
      let isSettled = core.machine.isSettled
      // It holds the scene.
      let told = core.current
      if case .ended = input { core.current = nil }
      if isSettled { swap(&arrived, &core.waiters) }
      return (event, before, core.machine.state, arrived, isSettled, told)
    }
    // One that is on its way is waited for by a stop, also when it is connected no more.
    lifecycle.note(self, isOnItsWay: !isSettled)
    if isSettled, after == .disconnected || after == .discarded {
      lifecycle.forget(self)
      // A listener of its own usually holds the scene.
      let listeners = own.withLock { own in
        defer { own = [:] }
        return own
      }
      // What ends with them is foreign: not here, where inputs are processed.
      Task.detached(executorPreference: lifecycle.beside) { withExtendedLifetime((listeners, told, self)) {} }
    }
    if after != before {
      lifecycle.hub.send(.sceneChanged(id: id, kind: kind, after))
    }
    if let event { post(event) }
    for waiter in arrived { waiter.resume() }
  }

  private func post(_ event: Event) {
    let transition = lifecycle.post(event, of: self) { [weak self] outcome in
      guard let self else { return }
      core.withLock({ $0.leading })?.take(outcome.failures)
      lifecycle.schedule { self.process(.ended(event, failure: outcome.refusal(of: event.lifecycleEvent))) }
    }
    core.withLock { $0.current = transition }
    // The lifecycle is over: there is nobody left to tell.
    if transition == nil { process(.ended(event, failure: nil)) }
  }
}
