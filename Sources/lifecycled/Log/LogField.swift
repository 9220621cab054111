/// A fact that stands beside the words of a line, by its name in the journal.
enum LogField: String, Sendable, CaseIterable {
  /// The name of the lifecycle's event, such as `didEnterBackground`.
  case event = "LIFECYCLE_EVENT"
  case reason = "LIFECYCLE_REASON"
  case state = "LIFECYCLE_STATE"
  case generation = "LIFECYCLE_GENERATION"
  /// The same for the beginning and the end of an event.
  case transition = "LIFECYCLE_TRANSITION"
  case duration = "LIFECYCLE_DURATION_USEC"
  case signal = "LIFECYCLE_SIGNAL"
  case senderPID = "LIFECYCLE_SENDER_PID"
  case senderUID = "LIFECYCLE_SENDER_UID"
  case exitStatus = "LIFECYCLE_EXIT_STATUS"
  /// Known to the journal: `systemd.journal-fields(7)`.
  case errno = "ERRNO"
}
