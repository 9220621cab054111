internal import Glibc
internal import Mediator
internal import MediatorLinux

/// What belongs to one process of a program, from its start to the end of all that came of it.
final class ProgramCopy: Sendable {
  /// Set before anything can come of the process, and read on the loop.
  struct State {
    var child: Child?
    var receiver: NotifyReceiver?
    var messages: EventSource?
    var pipe: ReadinessPipe?
    var matcher: LogMatcher?
    var uid = getuid()
    var hasEnded = false
    /// MAINPID= was refused, and who else sent something; each is said once.
    var refusals: Set<String> = []
    /// When it last sent WATCHDOG=1.
    var pinged: ContinuousClock.Instant?
  }

  /// In the environment of all that come of it, so that they are found when they have left their group.
  let mark: String
  let output: HookOutput
  let state = Locked(State())

  init(mark: String, output: HookOutput) {
    self.mark = mark
    self.output = output
  }

  var processID: Int32? { state.withLock { $0.hasEnded ? nil : $0.child?.processID } }

  /// Nothing is read from it any more.
  func close() {
    let (messages, pipe, child) = state.withLock { state in
      defer { (state.messages, state.receiver, state.pipe) = (nil, nil, nil) }
      return (state.messages, state.pipe, state.child)
    }
    messages?.cancel()
    pipe?.cancel()
    child?.closeOutput()
  }
}
