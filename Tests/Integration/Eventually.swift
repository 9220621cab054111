/// The one place where a test waits for something that tells nobody.
func eventually(within limit: Duration = .seconds(20), _ condition: () -> Bool) async -> Bool {
  let end = ContinuousClock.now + limit
  while !condition() {
    if ContinuousClock.now > end { return false }
    try? await Task.sleep(for: .milliseconds(2))
  }
  return true
}
