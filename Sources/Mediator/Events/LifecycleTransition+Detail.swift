/// What a transition carries beyond its event.
package enum TransitionDetail: Sendable {
  case none
  case memoryPressure(MemoryPressure)
  case timeChange(TimeChange)
  case request(LifecycleRequest)
  case scene(LifecycleScene, LifecycleScene.Event)
  /// What an earlier run has left, by the listeners' names.
  case savedStates([String: SavedState])
}

extension LifecycleTransition {
  /// What `didReceiveMemoryWarning` warns of.
  public var memoryPressure: MemoryPressure? {
    if case .memoryPressure(let pressure) = detail { pressure } else { nil }
  }

  /// What `significantTimeChange` tells.
  public var timeChange: TimeChange? {
    if case .timeChange(let change) = detail { change } else { nil }
  }

  /// What `didReceiveRequest` asks for.
  public var request: LifecycleRequest? {
    if case .request(let request) = detail { request } else { nil }
  }

  /// The scene whose event it is.
  public var scene: LifecycleScene? {
    if case .scene(let scene, _) = detail { scene } else { nil }
  }

  var sceneEvent: LifecycleScene.Event? {
    if case .scene(_, let event) = detail { event } else { nil }
  }

  /// What an earlier run has left for a listener, which is offered it herewith.
  func takeSavedState(of listener: String) -> SavedState? {
    guard case .savedStates(let states) = detail, let state = states[listener] else { return nil }
    progress.withLock { _ = $0.offered.insert(listener) }
    return state
  }

  /// What was offered to nobody.
  var unclaimedStates: [String] {
    guard case .savedStates(let states) = detail else { return [] }
    let offered = progress.withLock({ $0.offered })
    return states.keys.filter { !offered.contains($0) }.sorted()
  }

  /// Says in a few words how far the listener is that is being told, for STATUS: "starting 3/7: database 40 %".
  ///
  /// It is shown with the next request for more time, every two seconds.
  public func report(progress text: String) {
    let place = place
    progress.withLock { $0.ownProgress = OwnProgress(place: place, text: text) }
  }

  /// "3/7: NAME": who is being told, and what it says of its progress; nil while nobody is.
  package var progressText: String? {
    let own = progress.withLock({ $0.ownProgress })
    guard let place else { return nil }
    // What another one has said is over with it.
    guard let own, own.place == place else { return place }
    return "\(place) \(own.text)"
  }

  /// "3/7: NAME", of the newest mediator that tells somebody.
  private var place: String? {
    // One after the other: a lazy sequence asks twice, and the second answer may be another.
    for delivering in progress.withLock({ $0.mediators }).reversed() {
      if let place = delivering.mediator.progress(of: self) { return place }
    }
    return nil
  }

  // MARK: What listeners say

  /// Whether a request was taken or refused.
  var isAnswered: Bool { progress.withLock { $0.answer != nil } }

  /// The first answer counts.
  func answer(_ result: RequestResult) {
    progress.withLock { $0.answer = $0.answer ?? result }
  }

  package var answer: RequestResult { progress.withLock({ $0.answer }) ?? .unclaimed }

  func decide(_ decision: TerminationDecision) {
    progress.withLock { progress in
      progress.decision = progress.decision.stricter(decision)
      progress.delay = max(progress.delay, decision.delay)
    }
  }

  /// The strictest decision.
  package var decision: TerminationDecision { progress.withLock({ $0.decision }) }

  /// A failure beside what the listener itself returns or throws; it counts as one of the transition's.
  package func add(_ failure: ListenerFailure) {
    report(.listenerFailed(failure))
    progress.withLock { $0.failures.append(failure) }
  }

  /// Failures that were told elsewhere.
  func take(_ failures: [ListenerFailure]) {
    if !failures.isEmpty { progress.withLock { $0.failures += failures } }
  }

  func save(_ state: SavedState) { progress.withLock { $0.saved.append(state) } }

  package var savedStates: [SavedState] { progress.withLock({ $0.saved }) }

  func saveNothing(of listener: String) { progress.withLock { $0.unsaved.append(listener) } }

  var unsaved: [String] { progress.withLock({ $0.unsaved }) }
}
