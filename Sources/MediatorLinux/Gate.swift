/// A futex to wait at: one waiter per opening, or everybody once it stays open.
internal import CMediatorLinux

@safe
package final class Gate: Sendable {
  // A pointer is not Sendable by itself; the C functions touch what it points to with atomics only.
  private nonisolated(unsafe) let gate: OpaquePointer

  package init() {
    guard let gate = unsafe mediator_gate_new() else { fatalError("out of memory") }
    unsafe self.gate = gate
  }

  deinit { unsafe mediator_gate_free(gate) }

  /// Lets one waiter through, now or later; openings do not add up.
  package func open() { unsafe mediator_gate_open(gate) }

  /// Waits for an opening and closes the gate behind itself.
  package func pass() { unsafe mediator_gate_pass(gate) }

  /// As `pass`, but waits no longer than that, and perhaps less; for a gate that one thread alone waits at.
  package func pass(within limit: Duration) {
    let (seconds, attoseconds) = max(limit, .zero).components
    unsafe mediator_gate_pass_within(gate, min(seconds, 1_000_000_000) * 1_000_000_000 + attoseconds / 1_000_000_000)
  }

  /// Opens for good, for everybody; not to be mixed with `open` and `pass`.
  package func stayOpen() { unsafe mediator_gate_stay_open(gate) }

  /// Waits until the gate is open for good.
  package func waitOpen() { unsafe mediator_gate_wait_open(gate) }
}
