/// The names that `Reason=` knows, and that a hook gets as `LIFECYCLE_REASON`.
enum HookReason: String, Sendable, CaseIterable {
  case start, reload, pause, sleep, stop
}
