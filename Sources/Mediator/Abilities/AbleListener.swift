internal import Foundation

/// A listener with abilities, and what is remembered between its calls.
///
/// Casts to an ability when it is used: that takes some 100 ns, and there is nothing to keep, and nothing to do at a start.
final class AbleListener: Sendable {
  private struct State {
    var prepared: (any Sendable)?
    var hasReloaded = false
    var run: Task<Void, Never>?
  }

  let listener: any LifecycleListener
  /// The entry's, which is a factory's own.
  let name: String
  let abilities: AbilitySet
  let synchronous: (any SynchronousListener)?
  /// Asked once.
  let signals: Set<SignalNumber>
  let kinds: Set<String>
  private let state = Locked(State())

  init(_ listener: any LifecycleListener, _ abilities: AbilitySet, name: String) {
    self.listener = listener
    self.name = name
    self.abilities = abilities
    synchronous = abilities.contains(.synchronous) ? listener as? any SynchronousListener : nil
    signals = abilities.contains(.signals) ? (listener as? any SignalListener)?.signals ?? [] : []
    kinds = abilities.contains(.scenes) ? (listener as? any SceneListener)?.kinds ?? [] : []
  }

  private var reloading: ErasedReload? {
    abilities.contains(.reload) ? AbilitySet.asReloading(listener).map { ErasedReload($0) } : nil
  }

  // MARK: Reload

  var hasPrepared: Bool { state.withLock { $0.prepared != nil } }
  var hasReloaded: Bool { state.withLock({ $0.hasReloaded }) }

  /// The listener's own value: it ends outside the lock.
  func takePrepared() -> (any Sendable)? {
    state.withLock { state in
      defer { state.prepared = nil }
      return state.prepared
    }
  }

  func forgetReload() {
    _ = takePrepared()
    state.withLock { $0.hasReloaded = false }
  }

  func reload(_ transition: LifecycleTransition) async throws {
    guard let reloading else { return }
    switch transition.event {
    case .prepareReload:
      let prepared = try await reloading.prepare(transition)
      state.withLock { $0.prepared = prepared }
    case .reload:
      guard let prepared = takePrepared() else { return }
      try await reloading.commit(prepared, transition)
      state.withLock { $0.hasReloaded = true }
    case .revertReload:
      state.withLock { $0.hasReloaded = false }
      try await reloading.revert(transition)
    default: break
    }
  }

  /// Somebody else's post changes nothing of what is remembered; what is put in force is validated also when nobody
  /// has posted `prepareReload` before.
  func foreignReload(_ transition: LifecycleTransition) async throws {
    guard let reloading else { return }
    switch transition.event {
    case .prepareReload: _ = try await reloading.prepare(transition)
    case .reload: try await reloading.commit(try await reloading.prepare(transition), transition)
    case .revertReload: try await reloading.revert(transition)
    default: break
    }
  }

  // MARK: Running

  /// - Parameters:
  ///   - executor: where it runs; nil is the global executor.
  ///   - ended: called when the run ends without having been cancelled, with what it threw.
  func beginRun(on executor: (any TaskExecutor)?, _ ended: @escaping @Sendable ((any Error)?) -> Void) {
    guard abilities.contains(.running), let running = listener as? any RunningListener else { return }
    // Detached: it outlives the callback, and is none of the mediator's.
    let task = Task.detached(executorPreference: executor) {
      var trouble: (any Error)?
      do { try await running.run() } catch { trouble = error }
      if !Task.isCancelled { ended(trouble) }
    }
    state.withLock { $0.run = task }
  }

  /// Cancels the run of one that was left behind.
  func cancelRun(on executor: (any TaskExecutor)?) {
    // Its cancellation handlers are foreign.
    if let task = state.withLock({ $0.run }) { Task.detached(executorPreference: executor) { task.cancel() } }
  }

  /// Cancels the run and waits for its end.
  func endRun() async {
    let task = state.withLock { state in
      defer { state.run = nil }
      return state.run
    }
    task?.cancel()
    await task?.value
  }

  // MARK: The others

  /// Told of an event that its abilities make it hear.
  func tell(_ transition: LifecycleTransition) async throws {
    switch transition.event {
    case .restoreState, .encodeState: try await exchangeState(transition)
    case .shouldTerminate:
      guard let listener = listener as? any TerminationDeciding else { return }
      transition.decide(try await listener.terminationDecision(transition))
    case .didReceiveSignal: try await (listener as? any SignalListener)?.didReceiveSignal(transition)
    case .didReceiveMemoryWarning:
      // Who posts a warning without a transition does not say how bad it is.
      let pressure = transition.memoryPressure ?? MemoryPressure(level: .some)
      try await (listener as? any MemoryPressureListener)?.didReceiveMemoryWarning(pressure, transition)
    case .significantTimeChange: try await (listener as? any TimeChangeListener)?.significantTimeChange(transition)
    case .secretsDidBecomeAvailable: try await (listener as? any SecretsListener)?.secretsDidBecomeAvailable(transition)
    case .secretsWillBecomeUnavailable:
      try await (listener as? any SecretsListener)?.secretsWillBecomeUnavailable(transition)
    case .didReceiveRequest: try await answer(transition)
    default:
      guard let scene = transition.scene, let event = transition.sceneEvent else { return }
      try await (listener as? any SceneListener)?.scene(scene, event, transition)
    }
  }

  private func answer(_ transition: LifecycleTransition) async throws {
    guard let request = transition.request, let requests = listener as? any RequestListener else { return }
    do {
      switch try await requests.answer(request) {
      case .taken(let result): transition.answer(.handled(by: name, result))
      case .refused(let why): transition.answer(.refused(by: name, why))
      case .declined: break
      }
    } catch let error as CancellationError where Task.isCancelled {
      // Passed over: the next one is asked.
      throw error
    } catch {
      let failure = ListenerFailure(
        listener: name, event: transition.event, isRequired: false, error: error)
      transition.answer(.refused(by: name, failure.message))
      throw error
    }
  }

  private func exchangeState(_ transition: LifecycleTransition) async throws {
    guard let restoring = (listener as? any StateRestoring).map({ ErasedState($0) }) else { return }
    if transition.event == .encodeState {
      guard let data = try await restoring.encode() else { return transition.saveNothing(of: name) }
      transition.save(SavedState(listener: name, version: restoring.version, data: data))
    } else if let saved = transition.takeSavedState(of: name) {
      guard saved.version == restoring.version else {
        return transition.report(
          .stateIgnored(listener: name, reason: "it is of version \(saved.version), not \(restoring.version)"))
      }
      do {
        try await restoring.restore(saved.data)
      } catch let error as DecodingError {
        transition.report(.stateIgnored(listener: name, reason: "it cannot be read: \(error)"))
      }
    }
  }
}
