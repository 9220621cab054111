extension ScriptedListener {
  /// What a scripted listener does once.
  public struct Step: Sendable {
    private enum Kind: Sendable {
      case succeed
      case fail(any Error)
      case wait(Gate, heedsCancellation: Bool)
      case block(Gate)
      case sleep(Duration, ManualClock)
    }

    private let kind: Kind

    /// Returns at once.
    public static let succeed = Step(kind: .succeed)

    /// Throws.
    public static func fail(_ error: any Error) -> Step { Step(kind: .fail(error)) }

    /// Waits until the gate is open, or throws `CancellationError` when its time is over.
    public static func wait(for gate: Gate) -> Step { Step(kind: .wait(gate, heedsCancellation: true)) }

    /// Waits until the gate is open, and ignores that it is cancelled: it is left behind a quarter of a second later.
    public static func ignoreCancellation(until gate: Gate) -> Step {
      Step(kind: .wait(gate, heedsCancellation: false))
    }

    /// Blocks its thread until the gate is open; a gate that is never opened costs the process a thread.
    public static func blockThread(until gate: Gate) -> Step { Step(kind: .block(gate)) }

    /// Takes some time of a manual clock, or throws `CancellationError` when its own time is over before that.
    public static func sleep(for duration: Duration, on clock: ManualClock) -> Step {
      Step(kind: .sleep(duration, clock))
    }

    func play() async throws {
      switch kind {
      case .succeed: break
      case .fail(let error): throw error
      case .wait(let gate, let heedsCancellation): try await gate.pass(heedsCancellation: heedsCancellation)
      case .block(let gate): gate.block()
      case .sleep(let duration, let clock): try await clock.sleep(for: duration)
      }
    }
  }
}
