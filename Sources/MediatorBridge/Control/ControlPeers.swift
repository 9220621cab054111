internal import Glibc
internal import Mediator
internal import MediatorLinux

/// Everybody who is connected to a control socket: takes their calls, one at a time each, and sends the answers in order.
///
/// It lives on the bridge's loop and bounds what a peer can cost: one message in, one answer out, its turn short.
actor ControlPeers {
  enum Limit {
    /// Connections of those who may steer, and of others.
    static let steering = 128
    static let reading = 32
    /// Those who wait to be accepted, at most.
    static let queue = 1024
    /// Calls that have begun, also for those who have left.
    static let calls = 256
    /// Connections that are accepted before others on the loop have their turn.
    static let acceptedAtOnce = 16
    /// What waits for a follower that does not read.
    static let followerBytes = 64 * 1024
    /// For a message to be complete, and for an answer to be read.
    static let patience = Duration.seconds(10)
    /// Who has done nothing for so long makes room for others.
    static let idle = Duration.seconds(1)
    /// For the last answers to leave.
    static let farewell = Duration.milliseconds(500)
  }

  nonisolated let loop: EventLoop
  private let listener: StreamListener
  private let methods: ControlMethods
  private let owner: UInt32
  private var listening: EventSource?
  private var peers: [UInt64: ControlPeer] = [:]
  private var newest: UInt64 = 0
  private var openCalls = 0
  private var retry: EventSource?
  private var sweep: EventSource?
  private var observing: UInt64?
  private var isEnding = false

  nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe loop.asUnownedSerialExecutor() }

  init(_ listener: StreamListener, methods: ControlMethods, on loop: EventLoop) {
    self.listener = listener
    self.methods = methods
    self.loop = loop
    owner = geteuid()
  }

  /// From any thread but the loop's.
  nonisolated func begin() throws(LinuxError) {
    let source = try loop.watch(descriptor: listener.descriptor) { [weak self] in
      self?.assumeIsolated { $0.accept() }
    }
    loop.submit { self.assumeIsolated { $0.listening = source } }
  }

  // MARK: Who comes

  private func accept() {
    for _ in 0..<Limit.acceptedAtOnce {
      guard !isEnding else { return }
      // Who comes next is not known yet; if it may steer, it waits until there is room.
      guard openCalls < Limit.calls, place(steering: true) != .none else { return pause(for: .milliseconds(50)) }
      do throws(LinuxError) {
        guard let connection = try listener.accept() else { return }
        take(connection)
      } catch {
        // Too many descriptors, mostly: who waits goes on waiting.
        return pause(for: .seconds(1))
      }
    }
  }

  private func take(_ connection: StreamPeer) {
    let maySteer = connection.uid == 0 || connection.uid == owner
    switch place(steering: maySteer) {
    case .free: break
    case .of(let idle): close(idle)
    case .none: return
    }
    let peer = ControlPeer(connection, maySteer: maySteer, at: .now)
    newest += 1
    let number = newest
    do throws(LinuxError) {
      peer.source = try loop.watch(descriptor: connection.descriptor) { [weak self] in
        self?.assumeIsolated { $0.turn(number) }
      }
      peers[number] = peer
    } catch {}  // without a watch it cannot be served: it sees the end of the connection
  }

  private enum Place: Equatable {
    case free
    /// After this connection was closed, which has done nothing for the longest time.
    case of(UInt64)
    case none
  }

  private func place(steering: Bool) -> Place {
    let others = peers.filter { $0.value.maySteer == steering }
    guard others.count >= (steering ? Limit.steering : Limit.reading) else { return .free }
    let latest = ContinuousClock.now - Limit.idle
    let idle = others.filter { $0.value.since <= latest && $0.value.isIdle }.min { $0.value.since < $1.value.since }
    return idle.map { .of($0.key) } ?? .none
  }

  private func pause(for time: Duration) {
    guard retry == nil else { return }
    listening?.await([])
    retry = loop.timer(after: time) { [weak self] in self?.assumeIsolated { $0.goOnAccepting() } }
  }

  private func goOnAccepting() {
    guard retry != nil else { return }
    retry?.cancel()
    retry = nil
    listening?.await(.readable)
  }

  private func close(_ number: UInt64) {
    guard let peer = peers.removeValue(forKey: number) else { return }
    // The watch ends before the descriptor is closed.
    peer.source?.cancel()
    if observing != nil, !peers.values.contains(where: \.follows) { endObserving() }
    goOnAccepting()
  }

  // MARK: A peer's turn

  private func turn(_ number: UInt64) {
    guard let peer = peers[number] else { return }
    let wasInside = peer.wire.isInsideMessage
    do throws(LinuxError) {
      if try peer.send() { peer.since = .now }
      try peer.receive()
    } catch {
      return close(number)
    }
    if !wasInside, peer.wire.isInsideMessage { peer.since = .now }
    if peer.hasEnded, peer.follows { return close(number) }
    work(number, peer)
  }

  /// Begins its next call, if it has one and the one before is over.
  private func work(_ number: UInt64, _ peer: ControlPeer) {
    var call: VarlinkCall?
    let hadPart = tellNextPart(number, peer)
    guard peers[number] != nil else { return }
    if peer.mayBegin {
      do throws(VarlinkWire.Fault) {
        call = try peer.wire.next()
      } catch {
        return close(number)
      }
    }
    if let call {
      begin(call, number, peer)
    } else if peer.hasEnded, peer.mayBegin {
      return close(number)
    }
    guard peers[number] != nil else { return }
    peer.awaitNext()
    if peer.wire.isInsideMessage || peer.hasOutput { watchPatience() }
    // Another message may have come with this one; others on the loop have their turn first.
    if hadPart || call != nil && peer.mayBegin { loop.submit { self.assumeIsolated { $0.turn(number) } } }
  }

  private func begin(_ call: VarlinkCall, _ number: UInt64, _ peer: ControlPeer) {
    peer.since = .now
    peer.isOneway = call.isOneway
    openCalls += 1
    let begun = methods.begin(call, from: peer.origin, maySteer: peer.maySteer) { [loop, weak self] reply in
      loop.submit { [weak self] in self?.assumeIsolated { $0.answer(number, reply) } }
    }
    switch begun {
    case .later:
      peer.activity = .answering
      return
    case .answered(let reply): add(reply, to: peer)
    case .telling(let part):
      peer.activity = .telling(part, next: 0)
      loop.submit { self.assumeIsolated { $0.turn(number) } }
    case .following(let first):
      peer.activity = .following
      add(first, to: peer)
      observe()
    case .awaitingStop:
      if !call.isOneway { peer.activity = .awaitingStop }
    }
    openCalls -= 1
    flush(number, peer)
  }

  /// True if there was one, or the last was.
  private func tellNextPart(_ number: UInt64, _ peer: ControlPeer) -> Bool {
    guard case .telling(let part, let next) = peer.activity, !peer.hasOutput else { return false }
    if let reply = part(next) {
      peer.activity = .telling(part, next: next + 1)
      add(reply, to: peer)
      flush(number, peer)
    } else {
      peer.activity = .idle
    }
    return true
  }

  private func answer(_ number: UInt64, _ reply: VarlinkReply) {
    openCalls -= 1
    guard let peer = peers[number] else { return goOnAccepting() }
    peer.activity = .idle
    add(reply, to: peer)
    flush(number, peer)
    if peers[number] != nil { turn(number) }
  }

  private func add(_ reply: VarlinkReply, to peer: ControlPeer) {
    if !peer.isOneway { peer.add(reply.bytes) }
    peer.since = .now
  }

  private func flush(_ number: UInt64, _ peer: ControlPeer) {
    do throws(LinuxError) {
      _ = try peer.send()
    } catch {
      close(number)
    }
  }

  /// Looks after those who hold something up, as long as there are any.
  private func watchPatience() {
    guard sweep == nil, !isEnding else { return }
    sweep = loop.timer(after: Limit.patience / 4) { [weak self] in self?.assumeIsolated { $0.sweepOut() } }
  }

  private func sweepOut() {
    sweep = nil
    let latest = ContinuousClock.now - Limit.patience
    let slow = peers.filter { $0.value.hasOutput || $0.value.mayBegin && $0.value.wire.isInsideMessage }
    for (number, peer) in slow where peer.since <= latest { close(number) }
    if slow.count(where: { peers[$0.key] != nil }) > 0 { watchPatience() }
  }

  // MARK: Followers

  private func observe() {
    guard observing == nil else { return }
    observing = methods.observe { [loop, weak self] happening in
      loop.submit { [weak self] in self?.assumeIsolated { $0.tell(happening) } }
    }
  }

  private func endObserving() {
    if let observing { methods.endObserving(observing) }
    observing = nil
  }

  private func tell(_ happening: VarlinkReply) {
    for (number, peer) in peers where peer.follows {
      peer.since = .now
      peer.add(happening.bytes)
      flush(number, peer)
      guard peers[number] != nil else { continue }
      if peer.waitingBytes > Limit.followerBytes { close(number) } else { peer.awaitNext() }
    }
  }

  // MARK: The end

  /// Gives the last answers, and calls back when they have left, or after half a second.
  func end(_ exitStatus: Int32, _ done: @escaping @Sendable () -> Void) {
    isEnding = true
    listener.removePath()
    for source in [listening, retry, sweep] { source?.cancel() }
    endObserving()
    // Nobody waits for what does not come any more.
    for _ in 0..<Limit.queue { if (try? listener.accept()) == nil { break } }
    for (number, peer) in peers {
      if peer.awaitsStop {
        peer.add(methods.stopped(exitStatus).bytes)
      } else if peer.follows {
        peer.add(methods.finished(exitStatus).bytes)
      }
      flush(number, peer)
    }
    waitForFarewell(until: .now + Limit.farewell, done)
  }

  private func waitForFarewell(until end: ContinuousClock.Instant, _ done: @escaping @Sendable () -> Void) {
    for (number, peer) in peers where peer.hasOutput { flush(number, peer) }
    let isWaiting = peers.values.contains { ($0.awaitsStop || $0.follows) && $0.hasOutput }
    if isWaiting, ContinuousClock.now < end {
      loop.timer(after: .milliseconds(10)) { self.assumeIsolated { $0.waitForFarewell(until: end, done) } }
      return
    }
    for number in Array(peers.keys) { close(number) }
    done()
  }
}
