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
    var matching: LeavableTask<Void>?
    /// nil where control groups are not ours to make.
    var group: ControlGroup?
    /// The verb has failed, and says why.
    var hasVerbFailed = false
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
  /// Nobody else can guess it, and take it before.
  let address: String
  let output: HookOutput
  let state = Locked(State())

  init(mark: String, output: HookOutput) {
    self.mark = mark
    address = "@lifecycled/" + (0..<2).map { _ in String(UInt64.random(in: 0 ... .max), radix: 36) }.joined()
    self.output = output
  }

  /// nil once it has ended.
  var child: Child? { state.withLock { $0.hasEnded ? nil : $0.child } }

  /// Looks in what it prints for a line that matches, on threads of its own: a pattern may take its time, and some take
  /// for ever. What comes while it is busy for too long is left out.
  func watchLines(for pattern: LogPattern, _ found: @escaping @Sendable () -> Void) {
    let (lines, continuation) = AsyncStream<[UInt8]>.makeStream(bufferingPolicy: .bufferingOldest(1024))
    let matcher = Locked(LogMatcher(pattern))
    let matching = LeavableTask<Void>(on: FirstThread.executor) {
      for await bytes in lines {
        let matches = try await BlockingCall.run("log-pattern") { matcher.withLock { $0.take(bytes) } }
        if matches { return found() }
      }
      if try await BlockingCall.run("log-pattern", { matcher.withLock { $0.end() } }) { found() }
    }
    state.withLock { ($0.lines, $0.matching) = (continuation, matching) }
  }

  /// Its output has ended; returns when that was looked through, or soon if that takes long.
  func endLines() async {
    let (lines, matching) = state.withLock { ($0.lines, $0.matching) }
    lines?.finish()
    _ = await matching?.ending(within: .milliseconds(200), sleep: FirstThread.sleep)
  }

  /// Nothing is read from it any more.
  func close() {
    let old = state.withLock { state in
      defer {
        (state.messages, state.receiver, state.pipe, state.lines) = (nil, nil, nil, nil)
        // It holds us, too.
        (state.child, state.matching) = (nil, nil)
      }
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
