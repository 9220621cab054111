internal import Mediator
internal import MediatorBridge

/// Looks at a probe until it holds: at once, and then again after pauses that grow from 20 ms to 500 ms.
struct ProbeLoop: Sendable {
  var probe: Probe
  /// As `Probe.reasonAgainst` has it.
  var limit = Duration.seconds(1)
  var run: Probe.Run
  /// Sleeps between two looks.
  var pause: @Sendable (Duration) async throws -> Void = FirstThread.sleep

  /// Returns when the probe holds; false when the task was cancelled before.
  ///
  /// A look that is under way then is left behind, and a command of it asked to end.
  ///
  /// - Parameter changed: gets why it does not hold, whenever that is another reason than the last.
  func untilItHolds(changed: @Sendable (String) -> Void) async -> Bool {
    var interval = ProbeInterval()
    var last: String?
    while !Task.isCancelled {
      let look = LeavableTask(on: FirstThread.executor) { await probe.reasonAgainst(within: limit, run: run) }
      guard case .success(let reason)? = await look.ending(within: nil, sleep: pause) else {
        _ = look.leaveBehind()
        return false
      }
      guard let reason else { return true }
      if Task.isCancelled { return false }
      if reason != last { changed(reason) }
      last = reason
      do { try await pause(interval.next()) } catch { return false }
    }
    return false
  }
}
