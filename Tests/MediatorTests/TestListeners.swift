import Foundation
import Mediator
import MediatorTestKit
import Testing

/// What was said, in order; a test can wait for so many lines.
final class Log: Sendable {
  private struct State: Sendable {
    var lines: [String] = []
    var newest: LifecycleTransition?
  }
  private let state = Shared(State())

  var lines: [String] { state.withLock(\.lines) }
  var newest: LifecycleTransition? { state.withLock(\.newest) }

  func add(_ line: String, _ transition: LifecycleTransition? = nil) {
    state.withLock { state in
      state.lines.append(line)
      if let transition { state.newest = transition }
    }
  }

  func take() -> [String] {
    state.withLock { state in
      defer { state.lines = [] }
      return state.lines
    }
  }

  /// Waits until there are so many lines, thirty seconds at most.
  func wait(count: Int) async {
    await eventually { self.lines.count >= count }
  }
}

/// Looks again and again until the condition holds, thirty seconds at most; the one place where tests sleep.
@discardableResult
func eventually(within limit: Duration = .seconds(30), _ condition: () -> Bool) async -> Bool {
  let deadline = ContinuousClock.now + limit
  while !condition() {
    if ContinuousClock.now > deadline { return false }
    try? await Task.sleep(for: .milliseconds(1))
  }
  return true
}

extension LifecycleDriver {
  /// Turns the clock step by step until the condition holds, and says how far; after each step what keeps the time
  /// has done its part, and the others have had a little real time.
  func turn(by step: Duration = .milliseconds(500), until condition: () -> Bool) async -> Duration {
    var turned = Duration.zero
    while !condition(), turned < .seconds(1_000) {
      clock.advance(by: step)
      turned += step
      await settleLoop()
      await eventually(within: .milliseconds(20), condition)
    }
    return turned
  }
}

/// Waits for ever, and does not care for being cancelled.
func hang() async { await withUnsafeContinuation { (_: UnsafeContinuation<Void, Never>) in } }

struct Trouble: Error, LocalizedError {
  var errorDescription: String?
  init(_ words: String) { errorDescription = words }
}

/// Says what it is told, and throws where it is asked to.
struct Named: LifecycleListener {
  let name: String
  let log: Log
  var failing: Set<LifecycleEvent> = []
  var body: (@Sendable (LifecycleTransition) async throws -> Void)?

  init(
    _ name: String, log: Log = Log(), failing: Set<LifecycleEvent> = [],
    body: (@Sendable (LifecycleTransition) async throws -> Void)? = nil
  ) {
    self.name = name
    self.log = log
    self.failing = failing
    self.body = body
  }

  private func told(_ transition: LifecycleTransition) async throws {
    log.add("\(name).\(transition.event.rawValue)", transition)
    try await body?(transition)
    if failing.contains(transition.event) { throw Trouble("\(transition.event.rawValue) went wrong") }
  }

  func willFinishLaunching(_ transition: LifecycleTransition) async throws { try await told(transition) }
  func didFinishLaunching(_ transition: LifecycleTransition) async throws { try await told(transition) }
  func willEnterForeground(_ transition: LifecycleTransition) async throws { try await told(transition) }
  func didBecomeActive(_ transition: LifecycleTransition) async throws { try await told(transition) }
  func willResignActive(_ transition: LifecycleTransition) async throws { try await told(transition) }
  func didEnterBackground(_ transition: LifecycleTransition) async throws { try await told(transition) }
  func willTerminate(_ transition: LifecycleTransition) async throws { try await told(transition) }
}

/// Implements nothing but the reload.
struct Reloading: ReloadListener {
  let name: String
  let log: Log
  var failing: Set<LifecycleEvent> = []
  var body: (@Sendable (LifecycleEvent) async throws -> Void)?

  init(
    _ name: String, log: Log, failing: Set<LifecycleEvent> = [],
    body: (@Sendable (LifecycleEvent) async throws -> Void)? = nil
  ) {
    self.name = name
    self.log = log
    self.failing = failing
    self.body = body
  }

  private func told(_ event: LifecycleEvent) async throws {
    log.add("\(name).\(event.rawValue)")
    try await body?(event)
    if failing.contains(event) { throw POSIXError(.EINVAL) }
  }

  func prepareReload(_ transition: LifecycleTransition) async throws -> Int {
    try await told(.prepareReload)
    return 7
  }
  func reload(_ prepared: Int, _ transition: LifecycleTransition) async throws {
    #expect(prepared == 7)
    try await told(.reload)
  }
  func revertReload(_ transition: LifecycleTransition) async throws { try await told(.revertReload) }
}

/// Has every ability there is and says the name of the method that was called.
struct Probe: ReloadListener, SignalListener, MemoryPressureListener, TimeChangeListener, SecretsListener,
  RequestListener, StateRestoring, TerminationDeciding, SceneListener
{
  static let stateVersion = 1
  static let signal = SignalNumber(40)
  let log: Log
  var signals: Set<SignalNumber> { [Self.signal] }

  func willFinishLaunching(_ transition: LifecycleTransition) async throws { log.add("willFinishLaunching") }
  func didFinishLaunching(_ transition: LifecycleTransition) async throws { log.add("didFinishLaunching") }
  func willEnterForeground(_ transition: LifecycleTransition) async throws { log.add("willEnterForeground") }
  func didBecomeActive(_ transition: LifecycleTransition) async throws { log.add("didBecomeActive") }
  func willResignActive(_ transition: LifecycleTransition) async throws { log.add("willResignActive") }
  func didEnterBackground(_ transition: LifecycleTransition) async throws { log.add("didEnterBackground") }
  func willTerminate(_ transition: LifecycleTransition) async throws { log.add("willTerminate") }
  func prepareReload(_ transition: LifecycleTransition) async throws { log.add("prepareReload") }
  func reload(_ prepared: Void, _ transition: LifecycleTransition) async throws { log.add("reload") }
  func revertReload(_ transition: LifecycleTransition) async throws { log.add("revertReload") }
  func didReceiveSignal(_ transition: LifecycleTransition) async throws { log.add("didReceiveSignal") }
  func didReceiveMemoryWarning(_ pressure: MemoryPressure, _ transition: LifecycleTransition) async throws {
    log.add("didReceiveMemoryWarning")
  }
  func significantTimeChange(_ transition: LifecycleTransition) async throws { log.add("significantTimeChange") }
  func secretsDidBecomeAvailable(_ transition: LifecycleTransition) async throws {
    log.add("secretsDidBecomeAvailable")
  }
  func secretsWillBecomeUnavailable(_ transition: LifecycleTransition) async throws {
    log.add("secretsWillBecomeUnavailable")
  }
  func answer(_ request: LifecycleRequest) async throws -> RequestAnswer {
    log.add("didReceiveRequest")
    return .declined
  }
  func encodeState() async throws -> String? {
    log.add("encodeState")
    return "state"
  }
  func restoreState(_ state: String) async throws { log.add("restoreState") }
  func terminationDecision(_ transition: LifecycleTransition) async throws -> TerminationDecision {
    log.add("shouldTerminate")
    return .now
  }
  func scene(_ scene: LifecycleScene, _ event: LifecycleScene.Event, _ transition: LifecycleTransition) async throws {
    log.add(event.lifecycleEvent.rawValue)
  }
}

/// One transition that a test posts by hand.
final class Transitions: Sendable {
  private let ended = Shared<TransitionOutcome?>(nil)
  private let made: Shared<LifecycleTransition?> = Shared(nil)
  var transition: LifecycleTransition { made.withLock { $0! } }

  init(_ event: LifecycleEvent, reports: ReportHub? = nil) {
    let transition = LifecycleTransition(event: event, reason: .start, origin: .embedder, serial: 1, reports: reports) {
      [ended] outcome in ended.withLock { $0 = outcome }
    }
    made.withLock { $0 = transition }
  }

  func post(on center: NotificationCenter, object: Lifecycle? = nil) {
    center.post(
      name: transition.event.notificationName, object: object,
      userInfo: [LifecycleTransition.userInfoKey: transition])
    transition.endPost()
  }

  var isEnded: Bool { ended.withLock { $0 != nil } }

  func outcome() async -> TransitionOutcome? {
    await eventually { self.isEnded }
    return ended.withLock(\.self)
  }
}
