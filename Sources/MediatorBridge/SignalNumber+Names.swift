internal import Glibc
public import Mediator
internal import MediatorLinux

/// The signals that the bridge gives a meaning, by their names in `signal(7)`.
extension SignalNumber {
  /// SIGHUP: reloads, or stops when the terminal went away.
  public static let hangup = SignalNumber(SIGHUP)
  /// SIGINT, as Ctrl-C sends it: stops.
  public static let interrupt = SignalNumber(SIGINT)
  /// SIGQUIT: stops; the Swift runtime takes it unless `SWIFT_BACKTRACE=enable=no` is in its environment.
  public static let quit = SignalNumber(SIGQUIT)
  /// SIGTERM, as systemd sends it: stops.
  public static let terminate = SignalNumber(SIGTERM)
  /// SIGUSR1: pauses.
  public static let user1 = SignalNumber(SIGUSR1)
  /// SIGUSR2: resumes what SIGUSR1 has paused.
  public static let user2 = SignalNumber(SIGUSR2)
  /// SIGPIPE: ignored, so that a write to a closed connection fails with EPIPE instead.
  public static let pipe = SignalNumber(SIGPIPE)
  /// SIGTSTP, as Ctrl-Z sends it: pauses; on a terminal it keeps the shell's meaning.
  public static let stopTyped = SignalNumber(SIGTSTP)
  /// SIGCONT: resumes what SIGTSTP has paused; on a terminal it keeps the shell's meaning.
  public static let `continue` = SignalNumber(SIGCONT)
  /// SIGWINCH: ignored.
  public static let windowChange = SignalNumber(SIGWINCH)

  /// SIGRTMIN+offset, where glibc keeps the kernel's first two for itself.
  public static func realtime(_ offset: Int32) -> SignalNumber { SignalNumber(SignalSource.realtime(offset)) }
}
