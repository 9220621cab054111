internal import Dispatch
internal import Mediator

extension ScriptedListener {
  /// Where scripted listeners wait until the test lets them go on.
  public final class Gate: Sendable {
    private struct State: Sendable {
      var isOpen = false
      var waiting: [UInt64: @Sendable (_ isOpen: Bool) -> Void] = [:]
      /// Waits that were cancelled before they had begun.
      var cancelledEarly: Set<UInt64> = []
      var nextNumber: UInt64 = 0

      mutating func number() -> UInt64 {
        nextNumber += 1
        return nextNumber
      }
    }

    private let state = Locked(State())

    /// Makes a gate that is closed.
    public init() {}

    /// Lets everybody pass, from now on.
    public func open() {
      let waiting = state.withLock { state in
        state.isOpen = true
        defer { state.waiting = [:] }
        return state.waiting.values
      }
      for resume in waiting { resume(true) }
    }

    /// Whether it was opened.
    public var isOpen: Bool { state.withLock({ $0.isOpen }) }

    /// How many wait for it.
    public var waiterCount: Int { state.withLock({ $0.waiting.count }) }

    func pass(heedsCancellation: Bool) async throws {
      let number = state.withLock { $0.number() }
      let isOpen = await withTaskCancellationHandler {
        await withCheckedContinuation { continuation in
          enter(number) { continuation.resume(returning: $0) }
        }
      } onCancel: {
        if heedsCancellation { cancel(number) }
      }
      state.withLock { _ = $0.cancelledEarly.remove(number) }
      if !isOpen { throw CancellationError() }
    }

    func block() {
      let semaphore = DispatchSemaphore(value: 0)
      enter(state.withLock { $0.number() }) { _ in semaphore.signal() }
      semaphore.wait()
    }

    private func enter(_ number: UInt64, _ resume: @escaping @Sendable (Bool) -> Void) {
      let answer: Bool? = state.withLock { state in
        if state.isOpen { return true }
        if state.cancelledEarly.contains(number) { return false }
        state.waiting[number] = resume
        return nil
      }
      if let answer { resume(answer) }
    }

    private func cancel(_ number: UInt64) {
      let resume = state.withLock { state in
        let resume = state.waiting.removeValue(forKey: number)
        if resume == nil { state.cancelledEarly.insert(number) }
        return resume
      }
      resume?(false)
    }
  }
}
