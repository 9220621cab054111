/// When a service that nobody uses ends by itself.
public enum IdleExit: Hashable, Sendable {
  /// It serves until somebody asks for a stop.
  case never
  /// When the last scene has disconnected.
  case afterLastScene
  /// When no scene was connected, no request came and `noteActivity()` was not called for this long.
  case after(Duration)
}
