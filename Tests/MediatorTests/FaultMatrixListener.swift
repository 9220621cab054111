import Foundation
import Mediator

/// What one listener does wrong, once.
enum Fault: String, CaseIterable {
  case throwing
  /// Waits for ever, and does not care for being cancelled.
  case hanging
  /// Waits for ever, and returns when it is cancelled.
  case waiting
  /// Holds its thread for ever.
  case blocking
  /// Takes long, but not too long.
  case slow

  /// Whether its time runs out.
  var timesOut: Bool { self == .hanging || self == .waiting || self == .blocking }
  /// Whether it is left behind, and never called again.
  var isLeftBehind: Bool { self == .hanging || self == .blocking }
}

/// An event of a life; the reason tells those of the same name apart.
struct Moment: Hashable, CustomStringConvertible {
  var event: LifecycleEvent
  /// nil for any.
  var reason: LifecycleReason?

  init(_ event: LifecycleEvent, _ reason: LifecycleReason? = nil) {
    self.event = event
    self.reason = reason
  }

  func matches(_ event: LifecycleEvent, _ reason: LifecycleReason) -> Bool {
    self.event == event && (self.reason == nil || self.reason == reason)
  }

  var description: String { event.rawValue + (reason.map { " (\($0.rawValue))" } ?? "") }

  static let start: [Moment] = [
    Moment(.willFinishLaunching, .start), Moment(.didFinishLaunching, .start), Moment(.willEnterForeground, .start),
    Moment(.didBecomeActive, .start),
  ]
  static let reload: [Moment] = [
    Moment(.prepareReload, .reload), Moment(.willResignActive, .reload), Moment(.didEnterBackground, .reload),
    Moment(.reload, .reload), Moment(.revertReload, .reload), Moment(.willEnterForeground, .reload),
    Moment(.didBecomeActive, .reload),
  ]
  static let pause: [Moment] = [
    Moment(.willResignActive, .pause), Moment(.didEnterBackground, .pause), Moment(.willEnterForeground, .pause),
    Moment(.didBecomeActive, .pause),
  ]
  static let stop: [Moment] = [
    Moment(.shouldTerminate, .stop), Moment(.willResignActive, .stop), Moment(.didEnterBackground, .stop),
    Moment(.encodeState, .stop), Moment(.willTerminate, .stop),
  ]
  static let occurrences: [Moment] = [
    Moment(.didReceiveSignal), Moment(.didReceiveMemoryWarning), Moment(.didReceiveRequest),
  ]
  static let scene: [Moment] = LifecycleScene.Event.allCases.map { Moment($0.lifecycleEvent) }
  static let all = start + reload + pause + stop + occurrences + scene
}

/// Has every ability of a life, and hands each call to whoever drives it.
struct MatrixListener: ReloadListener, SignalListener, MemoryPressureListener, RequestListener, StateRestoring,
  TerminationDeciding, SceneListener
{
  static let stateVersion = 1
  static let signal = SignalNumber(40)
  let name: String
  var signals: Set<SignalNumber> { [Self.signal] }
  let told: @Sendable (LifecycleEvent, LifecycleReason) async throws -> Void

  private func told(_ transition: LifecycleTransition) async throws {
    try await told(transition.event, transition.reason)
  }

  func willFinishLaunching(_ transition: LifecycleTransition) async throws { try await told(transition) }
  func didFinishLaunching(_ transition: LifecycleTransition) async throws { try await told(transition) }
  func willEnterForeground(_ transition: LifecycleTransition) async throws { try await told(transition) }
  func didBecomeActive(_ transition: LifecycleTransition) async throws { try await told(transition) }
  func willResignActive(_ transition: LifecycleTransition) async throws { try await told(transition) }
  func didEnterBackground(_ transition: LifecycleTransition) async throws { try await told(transition) }
  func willTerminate(_ transition: LifecycleTransition) async throws { try await told(transition) }
  func prepareReload(_ transition: LifecycleTransition) async throws { try await told(transition) }
  func reload(_ prepared: Void, _ transition: LifecycleTransition) async throws { try await told(transition) }
  func revertReload(_ transition: LifecycleTransition) async throws { try await told(transition) }
  func didReceiveSignal(_ transition: LifecycleTransition) async throws { try await told(transition) }
  func didReceiveMemoryWarning(_ pressure: MemoryPressure, _ transition: LifecycleTransition) async throws {
    try await told(transition)
  }
  func answer(_ request: LifecycleRequest) async throws -> RequestAnswer {
    try await told(.didReceiveRequest, .start)
    return .declined
  }
  func encodeState() async throws -> String? {
    try await told(.encodeState, .stop)
    return name
  }
  func restoreState(_ state: String) async throws {}
  func terminationDecision(_ transition: LifecycleTransition) async throws -> TerminationDecision {
    try await told(transition)
    return .now
  }
  func scene(_ scene: LifecycleScene, _ event: LifecycleScene.Event, _ transition: LifecycleTransition) async throws {
    try await told(transition)
  }
}
