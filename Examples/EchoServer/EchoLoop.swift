/// The sockets: one thread owns them all, waits for them in poll(2), and takes orders from the acceptor.
import Foundation
import Glibc
import Mediator
import Synchronization

final class EchoLoop: Sendable {
  enum Order: Sendable {
    case accept
    /// Leave new connections in the kernel's queue.
    case hold
    /// Take those that the kernel has let in already, and close the listening socket.
    case close
    /// Serve until the last connection has ended, but not for ever; then end the thread.
    case drain(until: ContinuousClock.Instant)
  }

  private struct Inbox: Sendable {
    var orders: [(order: Order, done: CheckedContinuation<Void, Never>?)] = []
    var isClosed = false
  }

  /// 0 for a socket that has none.
  let port: UInt16
  private let inbox = Mutex(Inbox())
  private let bell: (readEnd: Int32, writeEnd: Int32)

  /// - Parameter listener: a listening socket, which is the loop's from here on.
  init(listener: Int32, greeting: Greeting, tally: Tally) throws {
    _ = fcntl(listener, F_SETFL, O_NONBLOCK)
    var ends: [Int32] = [-1, -1]
    guard socketpair(AF_UNIX, Self.streamType, 0, &ends) == 0 else {
      defer { Glibc.close(listener) }
      throw Self.trouble("socketpair")
    }
    port = Self.port(of: listener)
    bell = (ends[0], ends[1])
    Thread.detachNewThread { [self] in
      var sockets = EchoSockets(listener: listener, greeting: greeting, tally: tally)
      serve(&sockets)
    }
  }

  deinit {
    Glibc.close(bell.readEnd)
    Glibc.close(bell.writeEnd)
  }

  /// Returns when the order has been carried out, so that what the lifecycle says next is true.
  func obey(_ order: Order) async {
    await withCheckedContinuation { post(order, $0) }
  }

  /// Ends a drain now; does not wait.
  func hasten() { post(.drain(until: .now), nil) }

  private func post(_ order: Order, _ done: CheckedContinuation<Void, Never>?) {
    let isLate = inbox.withLock { inbox in
      if !inbox.isClosed { inbox.orders.append((order, done)) }
      return inbox.isClosed
    }
    if isLate { done?.resume() }
    // When there is no room, the thread has not heard the earlier ones yet, and will find this order with theirs.
    _ = write(bell.writeEnd, "!", 1)
  }

  // MARK: On the thread

  private func serve(_ sockets: inout EchoSockets) {
    var drained: [CheckedContinuation<Void, Never>] = []
    var deadline: ContinuousClock.Instant?
    while deadline.map({ $0 > .now && !sockets.isEmpty }) ?? true {
      sockets.wait(or: bell.readEnd, until: deadline)
      for (order, done) in inbox.withLock({ inbox in exchange(&inbox.orders, with: []) }) {
        switch order {
        case .accept: sockets.isAccepting = true
        case .hold: sockets.isAccepting = false
        case .close: sockets.closeListener()
        case .drain(let until): deadline = min(until, deadline ?? until)
        }
        if case .drain = order { done.map { drained.append($0) } } else { done?.resume() }
      }
    }
    sockets.closeAll()
    let late = inbox.withLock { inbox in
      inbox.isClosed = true
      return exchange(&inbox.orders, with: [])
    }
    for done in drained + late.compactMap(\.done) { done.resume() }
  }

  // MARK: Opening

  private static let streamType = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue)

  static func listen(on port: UInt16) throws -> Int32 {
    let listener = socket(AF_INET, streamType, 0)
    guard listener >= 0 else { throw trouble("socket") }
    // Otherwise a restart fails while the kernel still remembers connections of the process before.
    var yes: Int32 = 1
    setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &yes, socklen_t(MemoryLayout<Int32>.size))
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = port.bigEndian
    address.sin_addr.s_addr = INADDR_LOOPBACK.bigEndian
    let size = socklen_t(MemoryLayout<sockaddr_in>.size)
    let failed = withUnsafeMutablePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        bind(listener, $0, size) < 0 || Glibc.listen(listener, SOMAXCONN) < 0
      }
    }
    if failed {
      defer { Glibc.close(listener) }
      throw trouble("port \(port)")
    }
    return listener
  }

  private static func port(of socket: Int32) -> UInt16 {
    var address = sockaddr_in()
    var size = socklen_t(MemoryLayout<sockaddr_in>.size)
    let failed = withUnsafeMutablePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { getsockname(socket, $0, &size) < 0 }
    }
    return failed || Int32(address.sin_family) != AF_INET ? 0 : UInt16(bigEndian: address.sin_port)
  }

  /// With its errno it reaches `systemctl status`, which shows the number and its name.
  private static func trouble(_ subject: String) -> LifecycleError {
    let code = errno
    return LifecycleError(.system, message: "\(subject): \(String(cString: strerror(code)))", errno: code)
  }
}
