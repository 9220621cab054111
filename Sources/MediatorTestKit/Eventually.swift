/// Looks again and again whether the condition holds; the one place of the test kit that sleeps.
///
/// - Parameter limit: how long to look, in real time; the cancellation of the task ends it, too.
/// - Returns: whether it held.
func eventually(within limit: Duration, _ condition: @Sendable () async -> Bool) async -> Bool {
  let deadline = ContinuousClock.now + limit
  while !(await condition()) {
    guard ContinuousClock.now < deadline else { return false }
    guard (try? await Task.sleep(for: .milliseconds(1))) != nil else { return false }
  }
  return true
}
