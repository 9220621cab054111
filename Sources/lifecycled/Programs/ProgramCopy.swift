internal import Glibc
internal import Mediator
internal import MediatorLinux

/// What belongs to one process of a program, from its start to the end of all that came of it.
final class ProgramCopy: Sendable {
  struct State {
    var child: Child?
    /// All that came of it.
    var tree: ProcessTree?
    var receiver: NotifyReceiver?
    var messages: EventSource?
    var pipe: ReadinessPipe?
    /// What the program prints, on its way to `Ready=log`.
    var lines: AsyncStream<[UInt8]>.Continuation?
    var matching: Task<Void, Never>?
    /// Whose messages count, beside ours.
    var uid = getuid()
    /// The program itself runs, or will not: what the verb does before is over.
    var hasBegun = false
    var hasEnded = false
    /// What was refused; each is said once.
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

  /// nil once it has ended.
  var child: Child? { state.withLock { $0.hasEnded ? nil : $0.child } }

  /// Looks in what it prints for a line that matches; elsewhere than where processes are watched, since a pattern may
  /// take its time. Of a program that prints faster than that the newest is left out.
  func watchLines(for pattern: LogPattern, _ found: @escaping @Sendable () -> Void) {
    let (lines, continuation) = AsyncStream<[UInt8]>.makeStream(bufferingPolicy: .bufferingOldest(1024))
    let matching = Task.detached {
      var matcher = LogMatcher(pattern)
      for await bytes in lines where matcher.take(bytes) { found() }
      if matcher.end() { found() }
    }
    state.withLock { ($0.lines, $0.matching) = (continuation, matching) }
  }

  /// Its output has ended; returns when that was looked through.
  func endLines() async {
    let (lines, matching) = state.withLock { ($0.lines, $0.matching) }
    lines?.finish()
    await matching?.value
  }

  /// Nothing is read from it any more.
  func close() {
    let old = state.withLock { state in
      defer { (state.messages, state.receiver, state.pipe, state.lines) = (nil, nil, nil, nil) }
      return state
    }
    old.lines?.finish()
    old.messages?.cancel()
    old.pipe?.cancel()
    old.child?.closeOutput()
    // Its descriptor is closed after the loop has let go of it.
    old.messages.map { source in source.loop.submit { withExtendedLifetime(old.receiver) {} } }
  }
}
