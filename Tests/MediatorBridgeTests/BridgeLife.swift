import Foundation
import Mediator
import MediatorLinux

@testable import MediatorBridge

/// What came of a whole life of a bridge: start, reload, pause, resume, stop.
struct BridgeLife {
  var status: Int32
  /// The errno of each report that the manager could not be told.
  var troubles: [Int32] = []

  struct Nothing: ReloadListener {
    func prepareReload(_ transition: LifecycleTransition) async throws {}
    func reload(_ prepared: Void, _ transition: LifecycleTransition) async throws {}
    func revertReload(_ transition: LifecycleTransition) async throws {}
  }

  /// - Parameters:
  ///   - wire: where datagrams go; nil for the socket of the environment.
  ///   - trace: gets what happens.
  ///   - afterStart: called in the foreground; returns how many reloads more there are to be.
  static func live(
    over wire: WireUnderTest?, trace: LifecycleTrace? = nil, afterStart: () async -> Int = { 0 },
    beforeStop: () -> Void = {}
  ) async throws -> BridgeLife {
    let core = try await make(wire?.wire, [ListenerEntry(Nothing())])
    let lifecycle = core.lifecycle
    lifecycle.trace = trace
    let reports = lifecycle.reports
    let run = Task { await core.run(keepingSignals: false) }
    try await lifecycle.state(.foreground)
    for _ in 0...(await afterStart()) { _ = await lifecycle.reload() }
    try await lifecycle.pause()
    try await lifecycle.resume()
    beforeStop()
    _ = await lifecycle.stop()
    var life = BridgeLife(status: await run.value)
    for await report in reports { if case .notifyFailed(_, let errno) = report { life.troubles.append(errno) } }
    return life
  }

  /// The bridge before this one may not have gone yet.
  static func make(
    _ wire: ManagerVoice.Wire?, passed: [(name: String, descriptor: Int32)]? = nil, _ listeners: [ListenerEntry]
  ) async throws -> BridgeCore {
    var made: Result<BridgeCore, LifecycleError>?
    await eventually {
      do throws(LifecycleError) {
        made = .success(
          try BridgeCore(
            signals: .host, overriding: [:], timeouts: LifecycleTimeouts(), center: NotificationCenter(),
            injector: nil, wire: wire, passed: passed
          ) { listeners })
      } catch {
        made = .failure(error)
        return error.code != .bridgeExists
      }
      return true
    }
    return try made!.get()
  }
}

/// A way to the manager that fails where a test wants it to.
final class WireUnderTest: Sendable {
  enum Place: CaseIterable {
    case first, ready, reloading, readyAgain, stopping, status, extending, watchdog

    /// Which of the states it is that a life is told in.
    var state: Int? {
      switch self {
      case .ready: 0
      case .reloading: 1
      case .readyAgain: 2
      case .stopping: 3
      case .first, .status, .extending, .watchdog: nil
      }
    }
  }

  static let states = ["READY=1", "RELOADING=1", "STOPPING=1"]

  private struct Fault {
    var place: Place
    var code: Int32
    var times: Int
  }

  private struct State {
    var arrived: [String] = []
    var tries = 0
    var faults: [Fault] = []
    /// What the fault has met: all of its times are for that one.
    var met: String?
  }

  private let state = Shared(State())

  init(failing place: Place, with code: Int32, times: Int) { fail(at: place, with: code, times: times) }

  func fail(at place: Place, with code: Int32, times: Int) {
    state.withLock { $0.faults.append(Fault(place: place, code: code, times: times)) }
  }

  var arrived: [String] { state.withLock(\.arrived) }
  /// READY, RELOADING and STOPPING as they arrived.
  var states: [String] {
    arrived.flatMap { $0.split(separator: "\n").map(String.init) }.filter { Self.states.contains($0) }
  }

  var wire: ManagerVoice.Wire { ManagerVoice.Wire { [self] text, _ throws(LinuxError) in try send(text) } }

  private func send(_ text: String) throws(LinuxError) {
    let code: Int32? = state.withLock { state in
      defer { state.tries += 1 }
      let readies = state.arrived.count { $0.hasSuffix("READY=1") }
      for index in state.faults.indices where state.faults[index].times > 0 {
        let isNext = Self.isMet(state.faults[index].place, text, tries: state.tries, readies: readies)
        guard isNext || state.met == state.faults[index].place.description else { continue }
        state.met = state.faults[index].place.description
        state.faults[index].times -= 1
        return state.faults[index].code
      }
      state.arrived.append(text)
      return nil
    }
    if let code { throw LinuxError("sendmsg", code) }
  }

  private static func isMet(_ place: Place, _ text: String, tries: Int, readies: Int) -> Bool {
    switch place {
    case .first: tries == 0
    case .ready: text.hasSuffix("READY=1") && readies == 0
    case .reloading: text.hasPrefix("RELOADING=1")
    case .readyAgain: text.hasSuffix("READY=1") && readies == 1
    case .stopping: text.hasPrefix("STOPPING=1")
    case .status: text == "STATUS=paused"
    case .extending: text.contains("EXTEND_TIMEOUT_USEC=") && readies == 1
    case .watchdog: text == "WATCHDOG=1"
    }
  }
}

extension WireUnderTest.Place {
  var description: String { "\(self)" }
}
