/// A clock of any kind, as far as waiting for a condition needs it.
struct WaitTime: Sendable {
  /// How much has passed since this value was made.
  var passed: @Sendable () -> Duration
  /// Sleeps between two looks.
  var pause: @Sendable (Duration) async throws -> Void
  /// Sleeps beside a look, to end it; apart from `pause` so that a test can tell the two.
  var limit: @Sendable (Duration) async throws -> Void

  init(_ clock: some Clock<Duration>) {
    let start = clock.now
    passed = { start.duration(to: clock.now) }
    pause = { try await clock.sleep(for: $0) }
    limit = pause
  }
}
