internal import Glibc
public import Mediator
internal import MediatorLinux

/// The signals that the bridge gives a meaning, by their names in `signal(7)`.
extension SignalNumber {
  public static let hangup = SignalNumber(SIGHUP)
  public static let interrupt = SignalNumber(SIGINT)
  public static let quit = SignalNumber(SIGQUIT)
  public static let terminate = SignalNumber(SIGTERM)
  public static let user1 = SignalNumber(SIGUSR1)
  public static let user2 = SignalNumber(SIGUSR2)
  public static let pipe = SignalNumber(SIGPIPE)
  public static let stopTyped = SignalNumber(SIGTSTP)
  public static let `continue` = SignalNumber(SIGCONT)
  public static let windowChange = SignalNumber(SIGWINCH)

  /// SIGRTMIN+offset, where glibc keeps the kernel's first two for itself.
  public static func realtime(_ offset: Int32) -> SignalNumber { SignalNumber(SignalSource.realtime(offset)) }
}
