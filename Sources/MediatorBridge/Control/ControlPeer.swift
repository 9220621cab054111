internal import Mediator
internal import MediatorLinux

/// One connection to a control socket: what has come, what is to leave, and what is being done for it. On the loop.
final class ControlPeer {
  enum Activity {
    /// The next call may begin.
    case idle
    /// A call has begun; its answer comes.
    case answering
    /// Its answer has several parts, each made when the one before has left; nil: there are no more.
    case telling(@Sendable (Int) -> VarlinkReply?, next: Int)
    /// It is told of each happening until it leaves.
    case following
    /// It is answered when everybody has stopped.
    case awaitingStop
  }

  let connection: StreamPeer
  /// Whether it may call what is more than reading.
  let maySteer: Bool
  var source: EventSource?
  var wire = VarlinkWire()
  var activity = Activity.idle
  /// The call on its way is one that nobody waits for.
  var isOneway = false
  /// It sends no more.
  var hasEnded = false
  /// Since when it has done nothing, or its message is not complete, or it does not read.
  var since: ContinuousClock.Instant
  private var output: [[UInt8]] = []
  private var sent = 0
  private(set) var waitingBytes = 0

  init(_ connection: StreamPeer, maySteer: Bool, at now: ContinuousClock.Instant) {
    self.connection = connection
    self.maySteer = maySteer
    since = now
  }

  var origin: LifecycleOrigin { .control(pid: connection.pid, uid: connection.uid) }

  var hasOutput: Bool { !output.isEmpty }

  var mayBegin: Bool { if case .idle = activity { !hasOutput } else { false } }

  var follows: Bool { if case .following = activity { true } else { false } }

  var awaitsStop: Bool { if case .awaitingStop = activity { true } else { false } }

  /// Whether it holds up nobody but itself: nothing has begun, also no message, and none waits to be read.
  var isIdle: Bool { mayBegin && !wire.isInsideMessage && !connection.hasUnread }

  func add(_ bytes: [UInt8]) {
    output.append(bytes)
    waitingBytes += bytes.count
  }

  /// Reads once, if there is room. Fails when the connection is broken.
  func receive() throws(LinuxError) {
    guard !hasEnded, wire.room > 0 else { return }
    switch try connection.receive(limit: wire.room) {
    case .bytes(let bytes): wire.take(bytes)
    case .nothing: break
    case .end: hasEnded = true
    }
  }

  /// Sends what fits; true if anything did. Fails when the connection is broken.
  func send() throws(LinuxError) -> Bool {
    var progress = false
    while let first = output.first {
      let count = try connection.send(first[sent...])
      if count == 0 { break }
      progress = true
      sent += count
      waitingBytes -= count
      if sent == first.count {
        output.removeFirst()
        sent = 0
      }
    }
    return progress
  }

  /// What is to wake it up next. Nothing while an answer is made and no more may come: a peer that has hung up would
  /// be told of all the time.
  func awaitNext() {
    var readiness: EventSource.Readiness = []
    if !hasEnded, wire.room > 0 { readiness.insert(.readable) }
    if hasOutput { readiness.insert(.writable) }
    source?.await(readiness)
  }
}
