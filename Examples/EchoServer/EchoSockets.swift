/// What the loop's thread owns: the listening socket and the open connections.
import Glibc

struct EchoSockets {
  var isAccepting = false
  private var listener: Int32?
  private var connections: [Connection] = []
  private let greeting: Greeting
  private let tally: Tally

  /// Far below the usual 1,024 descriptors of a process: accept(2) never fails for the want of one.
  private static let limit = 500

  init(listener: Int32, greeting: Greeting, tally: Tally) {
    self.listener = listener
    self.greeting = greeting
    self.tally = tally
  }

  var isEmpty: Bool { connections.isEmpty }

  /// Sleeps until a socket or the bell has something, or the time has come, and serves every socket that has.
  mutating func wait(or bell: Int32, until deadline: ContinuousClock.Instant?) {
    let listening = isAccepting && connections.count < Self.limit ? listener : nil
    // poll(2) passes over a descriptor of -1.
    var polled = [pollfd(bell, POLLIN), pollfd(listening ?? -1, POLLIN)]
    polled += connections.map { pollfd($0.socket, $0.interest) }
    let left = deadline.map { max(.zero, ContinuousClock.now.duration(to: $0)) }
    // Rounded up, so that it does not wake a moment too early and spin.
    let timeout = left.map { Int32(($0 / .milliseconds(1)).rounded(.up)) } ?? -1
    // Signals interrupt it; then nothing is ready and the caller comes back.
    guard poll(&polled, nfds_t(polled.count), timeout) > 0 else { return }
    if polled[0].revents != 0 { empty(bell) }
    for index in connections.indices.reversed() where polled[index + 2].revents != 0 {
      if connections[index].serve() { continue }
      close(connections.remove(at: index).socket)
    }
    if polled[1].revents != 0 { acceptAll() }
  }

  private mutating func acceptAll() {
    guard let listener else { return }
    while connections.count < Self.limit {
      let socket = accept(listener, nil, nil)
      guard socket >= 0 else { return }
      _ = fcntl(socket, F_SETFD, FD_CLOEXEC)
      _ = fcntl(socket, F_SETFL, O_NONBLOCK)
      connections.append(Connection(socket: socket, greeting: greeting.line))
      tally.add()
    }
  }

  /// Whoever the kernel has let in believes to be connected, and closing the socket would cut them off, unless the
  /// manager keeps a copy of it. Never shutdown(2), which would end the copy.
  mutating func closeListener() {
    acceptAll()
    if let listener { close(listener) }
    listener = nil
  }

  mutating func closeAll() {
    closeListener()
    for connection in connections { close(connection.socket) }
    connections = []
  }

  private func empty(_ bell: Int32) {
    var buffer = [UInt8](repeating: 0, count: 64)
    while read(bell, &buffer, buffer.count) == buffer.count {}
  }
}

/// One client. It is read again only when all that it sent has gone back, so one that does not read costs one buffer.
private struct Connection {
  let socket: Int32
  private var unsent: ArraySlice<UInt8>

  init(socket: Int32, greeting: String) {
    self.socket = socket
    unsent = ArraySlice("\(greeting)\n".utf8)
  }

  var interest: Int32 { unsent.isEmpty ? POLLIN : POLLOUT }

  /// Does what can be done without waiting; false when the connection has ended.
  mutating func serve() -> Bool {
    if unsent.isEmpty {
      var buffer = [UInt8](repeating: 0, count: 16384)
      let count = recv(socket, &buffer, buffer.count, 0)
      guard count > 0 else { return count < 0 && errno == EAGAIN }
      unsent = buffer[..<count]
    }
    let count = unsent.withUnsafeBytes { send(socket, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
    if count > 0 { unsent.removeFirst(count) }
    return count >= 0 || errno == EAGAIN
  }
}

extension pollfd {
  fileprivate init(_ descriptor: Int32, _ events: Int32) {
    self.init(fd: descriptor, events: Int16(events), revents: 0)
  }
}
