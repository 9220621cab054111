/// What one message of sd_notify(3) says of a program's state.
enum NotifiedState: Sendable, Equatable {
  case ready
  case reloading
  /// A whole reload: RELOADING=1 and READY=1 together.
  case reloaded
  case stopping
}
