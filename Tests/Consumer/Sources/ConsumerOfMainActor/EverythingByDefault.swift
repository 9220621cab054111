/// A class with every ability in a module where everything is the main actor's unless it says otherwise.
public import Consumer
import Foundation
public import Mediator

@MainActor
public final class EverythingByDefault: Everything {
  nonisolated public static let stateVersion = 1
  public let signals: Set<SignalNumber> = [Shared.signal]
  public let kinds: Set<String> = [Shared.kind]
  public let calls: Calls

  public init(calls: Calls) { self.calls = calls }

  private func told(_ what: String) {
    MainActor.assertIsolated()
    calls.add("EverythingByDefault.\(what)")
  }

  public func didFinishLaunching(_ transition: LifecycleTransition) async throws { told(transition.event.rawValue) }
  public func didBecomeActive(_ transition: LifecycleTransition) async throws { told(transition.event.rawValue) }
  public func willTerminate(_ transition: LifecycleTransition) async throws { told(transition.event.rawValue) }

  public func prepareReload(_ transition: LifecycleTransition) async throws -> Int {
    told(transition.event.rawValue)
    return 7
  }
  public func reload(_ prepared: Int, _ transition: LifecycleTransition) async throws {
    told("\(transition.event.rawValue) \(prepared)")
  }
  public func revertReload(_ transition: LifecycleTransition) async throws { told(transition.event.rawValue) }

  public func run() async throws {
    told("run")
    try await Shared.serve()
  }

  public func didReceiveMemoryWarning(_ pressure: MemoryPressure, _ transition: LifecycleTransition) async throws {
    told("\(transition.event.rawValue) \(pressure.level)")
  }
  public func significantTimeChange(_ transition: LifecycleTransition) async throws {
    told("\(transition.event.rawValue) \(transition.timeChange?.rawValue ?? "nil")")
  }
  public func didReceiveSignal(_ transition: LifecycleTransition) async throws { told(transition.event.rawValue) }
  public func secretsDidBecomeAvailable(_ transition: LifecycleTransition) async throws {
    told(transition.event.rawValue)
  }
  public func secretsWillBecomeUnavailable(_ transition: LifecycleTransition) async throws {
    told(transition.event.rawValue)
  }

  public func answer(_ request: LifecycleRequest) async throws -> RequestAnswer {
    told("answer \(request.verb)")
    return request.verb == name ? .taken(request.payload) : .declined
  }
  public func terminationDecision(_ transition: LifecycleTransition) async throws -> TerminationDecision {
    told(transition.event.rawValue)
    return .now
  }
  public func scene(_ scene: LifecycleScene, _ event: LifecycleScene.Event, _ transition: LifecycleTransition)
    async throws
  {
    told("\(scene.id) \(event)")
  }

  public func encodeState() async throws -> String? {
    told("encodeState")
    return "state"
  }
  public func restoreState(_ state: String) async throws { told("restore \(state)") }

  public func checkHealth() async throws { told("checkHealth") }
  public var status: String {
    get async {
      told("status")
      return "\(name) works"
    }
  }
}
