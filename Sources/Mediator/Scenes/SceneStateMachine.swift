/// Decides what happens next in the life of one scene: a pure value, total over every state and input.
package struct SceneStateMachine: Hashable, Sendable {
  package enum Phase: Hashable, Sendable {
    case unattached
    /// This event is on its way.
    case moving(LifecycleScene.Event)
    case foreground
    case background
    case disconnected
    case discarded
  }

  package enum Input: Hashable, Sendable {
    case connect
    /// Whether the scene itself wants to be in the foreground.
    case wantForeground(Bool)
    /// Whether the lifecycle is in the foreground.
    case lifecycleServes(Bool)
    case disconnect
    /// It will not come back: it is disconnected first.
    case discard
    /// Everybody has been told; the failure is that of a required listener.
    case ended(LifecycleScene.Event, failure: ListenerFailure?)
  }

  package internal(set) var phase = Phase.unattached
  /// Why it was refused.
  package private(set) var refusal: ListenerFailure?
  private var wantsForeground = true
  private var lifecycleServes: Bool
  private var isLeaving = false
  private var isDiscarding = false
  private var wasTold = false

  package init(lifecycleServes: Bool) { self.lifecycleServes = lifecycleServes }

  /// - Returns: the event to be told next; nil when nothing is to be told, or something is on its way.
  package mutating func handle(_ input: Input) -> LifecycleScene.Event? {
    switch input {
    case .connect:
      guard phase == .unattached, !isLeaving else { return nil }
      wasTold = true
      return move(.willConnect)
    case .wantForeground(let wants): wantsForeground = wants
    case .lifecycleServes(let serves): lifecycleServes = serves
    case .disconnect: isLeaving = true
    case .discard:
      isLeaving = true
      isDiscarding = true
    case .ended(let event, let failure):
      guard phase == .moving(event) else { return nil }
      return ended(event, failure)
    }
    return settle()
  }

  /// Whether it is where it is to be, with nothing on its way.
  package var isSettled: Bool {
    switch phase {
    case .unattached: true
    case .moving: false
    case .foreground: isWanted && !isLeaving
    case .background: !isWanted && !isLeaving
    case .disconnected: !isDiscarding
    case .discarded: true
    }
  }

  private var isWanted: Bool { wantsForeground && lifecycleServes }

  private mutating func move(_ event: LifecycleScene.Event) -> LifecycleScene.Event {
    phase = .moving(event)
    return event
  }

  private mutating func ended(_ event: LifecycleScene.Event, _ failure: ListenerFailure?) -> LifecycleScene.Event? {
    switch event {
    case .willConnect:
      phase = .background
      if let failure {
        refusal = failure
        isLeaving = true
      }
    case .willEnterForeground: return move(isLeaving || !isWanted ? .didEnterBackground : .didBecomeActive)
    case .didBecomeActive: phase = .foreground
    case .willResignActive: return move(.didEnterBackground)
    case .didEnterBackground: phase = .background
    case .didDisconnect: phase = .disconnected
    case .didDiscard: phase = .discarded
    }
    return settle()
  }

  private mutating func settle() -> LifecycleScene.Event? {
    // One that nobody was told of goes in silence.
    if !wasTold, isLeaving { phase = isDiscarding ? .discarded : .disconnected }
    return switch phase {
    case .unattached, .moving, .discarded: nil
    case .foreground: isLeaving || !isWanted ? move(.willResignActive) : nil
    case .background: isLeaving ? move(.didDisconnect) : isWanted ? move(.willEnterForeground) : nil
    case .disconnected: isDiscarding ? move(.didDiscard) : nil
    }
  }

  package var state: LifecycleScene.State {
    switch phase {
    case .unattached, .moving(.willConnect): .connecting
    case .foreground, .moving(.willResignActive), .moving(.didBecomeActive): .foreground
    case .background, .moving(.willEnterForeground), .moving(.didEnterBackground): .background
    case .moving(.didDisconnect): .disconnecting
    case .disconnected, .moving(.didDiscard): .disconnected
    case .discarded: .discarded
    }
  }
}
