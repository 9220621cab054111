/// One entry of a mediator, with what its listener has been told so far.
final class Registration: Sendable {
  private struct State {
    var phase = ListenerPhase.registered
    var isRemoved = false
    var prepared: (any Sendable)?
    var hasReloaded = false
  }

  let token: LifecycleMediator.Token
  let entry: ListenerEntry
  private let state = Locked(State())

  init(token: LifecycleMediator.Token, entry: ListenerEntry) {
    self.token = token
    self.entry = entry
  }

  var isRemoved: Bool { state.withLock(\.isRemoved) }

  func markRemoved() { state.withLock { $0.isRemoved = true } }

  /// Whether the listener is to be told of the event by its lifecycle; it then counts as told.
  func admit(_ event: LifecycleEvent) -> Bool {
    state.withLock { state in
      switch event {
      case .prepareReload: if entry.reloading == nil { return false }
      case .reload: if state.prepared == nil { return false }
      case .revertReload: if !state.hasReloaded { return false }
      default: break
      }
      return state.phase.admit(event)
    }
  }

  /// Its call has not returned in its time: it is left behind.
  func markStuck() { state.withLock { $0.phase = .stuck } }

  var isStuck: Bool { state.withLock { $0.phase == .stuck } }

  func forgetReload() {
    _ = takePrepared()
    state.withLock { $0.hasReloaded = false }
  }

  /// The listener's own value: it ends outside the lock.
  func takePrepared() -> (any Sendable)? {
    state.withLock { state in
      defer { state.prepared = nil }
      return state.prepared
    }
  }

  /// Tells the listener; the failure is what it threw.
  ///
  /// - Parameter isForeign: somebody else's post, which changes nothing of what is remembered here.
  func tell(_ transition: LifecycleTransition, isForeign: Bool) async -> ListenerFailure? {
    do {
      try await isForeign ? callForeign(transition) : call(transition)
      return nil
    } catch {
      if transition.event == .didFinishLaunching, !isForeign {
        state.withLock { if $0.phase != .stuck { $0.phase = .failed } }
      }
      return ListenerFailure(
        listener: entry.name, event: transition.event, isRequired: entry.isRequired, error: error)
    }
  }

  /// What is put in force is validated also when nobody has posted `prepareReload` before.
  private func callForeign(_ transition: LifecycleTransition) async throws {
    switch (transition.event, entry.reloading) {
    case (.prepareReload, let listener?): _ = try await listener.prepare(transition)
    case (.reload, let listener?): try await listener.commit(try await listener.prepare(transition), transition)
    case (.revertReload, let listener?): try await listener.revert(transition)
    default: try await call(transition)
    }
  }

  private func call(_ transition: LifecycleTransition) async throws {
    let listener = entry.listener
    switch transition.event {
    case .willFinishLaunching: try await listener.willFinishLaunching(transition)
    case .didFinishLaunching: try await listener.didFinishLaunching(transition)
    case .willEnterForeground: try await listener.willEnterForeground(transition)
    case .didBecomeActive: try await listener.didBecomeActive(transition)
    case .willResignActive: try await listener.willResignActive(transition)
    case .didEnterBackground: try await listener.didEnterBackground(transition)
    case .willTerminate: try await listener.willTerminate(transition)
    case .prepareReload, .reload, .revertReload: try await callReload(transition)
    case .didReceiveSignal:
      guard let listener = entry.signalling, case .signal(let number, _, _, _) = transition.origin,
        listener.signals.contains(number)
      else { return }
      try await listener.didReceiveSignal(transition)
    }
  }

  private func callReload(_ transition: LifecycleTransition) async throws {
    guard let listener = entry.reloading else { return }
    switch transition.event {
    case .prepareReload:
      let prepared = try await listener.prepare(transition)
      state.withLock { $0.prepared = prepared }
    case .reload:
      guard let prepared = takePrepared() else { return }
      try await listener.commit(prepared, transition)
      state.withLock { $0.hasReloaded = true }
    case .revertReload:
      state.withLock { $0.hasReloaded = false }
      try await listener.revert(transition)
    default: break
    }
  }

  /// What a listener that leaves on its own is still to be told, in order.
  static let ownStop: [LifecycleEvent] = [.willResignActive, .didEnterBackground, .willTerminate]
}
