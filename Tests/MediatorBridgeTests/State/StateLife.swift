import Foundation
import Glibc
import Mediator
import MediatorLinux
import MediatorTestKit

@testable import MediatorBridge

/// `precondition` for conditions that wait or throw.
func must(_ isSo: Bool, _ words: String = "", line: UInt = #line) { precondition(isSo, words, line: line) }

/// A number that outlives the process.
struct Count: StateRestoring {
  static let stateVersion = 1
  let value = Shared(0)
  let throwing = Shared(false)
  var name: String { "count" }
  func encodeState() async throws -> Int? {
    if throwing.withLock(\.self) { throw LifecycleError(.system, message: "cannot") }
    return value.withLock(\.self)
  }
  func restoreState(_ state: Int) async throws { value.withLock { $0 = state } }
}

/// One run of a bridge with a counter, for processes in which several follow each other: it is let go of by the stop.
final class StateLife {
  let lifecycle: Lifecycle
  let count: Count
  private var core: BridgeCore?

  private init(_ core: BridgeCore, _ count: Count) {
    self.core = core
    self.count = count
    lifecycle = core.lifecycle
  }

  /// Returns in the foreground.
  ///
  /// - Parameters:
  ///   - manager: whose store gives back what it has; nil for none.
  ///   - passed: what else it passes; nil for what the environment says, and nothing else.
  static func begin(
    _ manager: FakeServiceManager?, passed: [(name: String, descriptor: Int32)]? = [],
    beside listeners: [ListenerEntry] = [], wire: ManagerVoice.Wire? = nil
  ) async throws -> StateLife {
    if let manager { setenv("NOTIFY_SOCKET", manager.address, 1) } else { unsetenv("NOTIFY_SOCKET") }
    let count = Count()
    let core = try await BridgeLife.make(
      wire, passed: passed.map { $0 + (manager?.copyStored() ?? []) }, [ListenerEntry(count)] + listeners)
    Task { await core.run(keepingSignals: false) }
    try await core.lifecycle.state(.foreground)
    return StateLife(core, count)
  }

  /// The state files of a folder, without the locks beside them.
  static func files(_ folder: String) -> [String] {
    Folder.names(folder).filter { $0.hasSuffix(".lifecycle-state") }
  }

  var start: StartInformation { lifecycle.context.start }
  var value: Int { count.value.withLock(\.self) }

  func set(_ value: Int) { count.value.withLock { $0 = value } }

  /// Stops, and returns what was said of state meanwhile.
  func stop() async -> [String] {
    let reports = lifecycle.reports
    let status = await lifecycle.stop()
    core = nil
    var lines: [String] = status == 0 ? [] : ["exit status \(status)"]
    for await report in reports {
      switch report {
      case .stateUnreadable(let place, let reason): lines.append("\(place): \(reason)")
      case .stateIgnored(let listener, let reason): lines.append("\(listener): \(reason)")
      case .stateNotSaved(let place, let message): lines.append("\(place): \(message)")
      case .listenerFailed(let failure): lines.append("\(failure.listener): \(failure.message)")
      default: break
      }
    }
    return lines
  }
}
