/// The one place where a test waits for something that tells nobody.

/// Looks again every millisecond until the condition holds; false after the time limit.
func eventually(within limit: Duration = .seconds(10), _ condition: () async -> Bool) async -> Bool {
  let end = ContinuousClock.now + limit
  while await !condition() {
    if ContinuousClock.now > end { return false }
    try? await Task.sleep(for: .milliseconds(1))
  }
  return true
}
