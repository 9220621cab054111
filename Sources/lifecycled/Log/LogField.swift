/// A fact that stands beside the words of a line, by the last part of its name in the journal.
enum LogField: String, Sendable, CaseIterable {
  /// The name of the lifecycle's event, such as `didEnterBackground`.
  case event = "EVENT"
  case reason = "REASON"
  case state = "STATE"
  case generation = "GENERATION"
  /// The same for the beginning and the end of an event.
  case transition = "TRANSITION"
  case duration = "DURATION_USEC"
  case signal = "SIGNAL"
  case senderPID = "SENDER_PID"
  case senderUID = "SENDER_UID"
  case exitStatus = "EXIT_STATUS"
  /// Known to the journal: `systemd.journal-fields(7)`.
  case errno = "ERRNO"

  /// As the journal has it.
  var name: String { self == .errno ? rawValue : "LIFECYCLE_\(rawValue)" }
}
