internal import Glibc
internal import Mediator
package import MediatorLinux

/// Keeps a connection to the system bus: waits for one to appear, and connects again when it was lost.
package final class BusLink: Sendable {
  /// What is done with each new connection, on the loop; a throw ends that connection.
  package typealias SetUp = @Sendable (SystemBus) throws(LinuxError) -> Void

  private struct State {
    var bus: SystemBus?
    var connected: ContinuousClock.Instant?
    var pause = BusPause()
    var timer: EventSource?
    var isOpen = false
  }

  private let loop: EventLoop
  private let address: String?
  private let setUp: SetUp
  private let lost: @Sendable () -> Void
  private let failed: @Sendable (LinuxError) -> Void
  private let state = Locked(State())

  /// - Parameters:
  ///   - address: as `SystemBus` takes it.
  ///   - lost: a connection that was set up is gone; on the loop.
  ///   - failed: there is no connection, and why; on the loop.
  package init(
    on loop: EventLoop, address: String? = nil, setUp: @escaping SetUp, lost: @escaping @Sendable () -> Void = {},
    failed: @escaping @Sendable (LinuxError) -> Void = { _ in }
  ) {
    self.loop = loop
    self.address = address
    self.setUp = setUp
    self.lost = lost
    self.failed = failed
  }

  package func open() {
    loop.submit { [self] in
      state.withLock { $0.isOpen = true }
      connect()
    }
  }

  /// No handler is called any more when this ran on the loop.
  package func close() {
    loop.submit { [self] in
      let (bus, timer) = state.withLock { state in
        defer { state = State() }
        return (state.bus, state.timer)
      }
      timer?.cancel()
      bus?.close()
    }
  }

  /// The connection of the moment; on the loop.
  package var bus: SystemBus? { state.withLock({ $0.bus }) }

  private func connect() {
    guard state.withLock({ $0.isOpen && $0.bus == nil }) else { return }
    do throws(LinuxError) {
      let bus = try SystemBus(on: loop, address: address) { [weak self] in self?.end() }
      state.withLock { ($0.bus, $0.connected) = (bus, .now) }
      try setUp(bus)
    } catch {
      failed(error)
      // What is forbidden stays forbidden.
      if [EACCES, EPERM, EAFNOSUPPORT].contains(error.code) { return drop() }
      end()
    }
  }

  private func drop() {
    let bus = state.withLock { state in
      defer { state.bus = nil }
      return state.bus
    }
    bus?.close()
  }

  private func end() {
    drop()
    lost()
    let pause = state.withLock { state in
      state.pause.next(lived: state.connected?.duration(to: .now) ?? .zero)
    }
    let timer = loop.timer(after: pause) { [weak self] in self?.connect() }
    state.withLock { $0.timer = timer }
  }
}

/// How long to wait before the bus is connected again: a pure value that grows from one second to a minute.
package struct BusPause: Hashable, Sendable {
  static let longest = Duration.seconds(60)
  private var coming = Duration.seconds(1)

  package init() {}

  /// - Parameter lived: how long the connection lasted that was lost; a long one begins anew.
  package mutating func next(lived: Duration) -> Duration {
    if lived >= Self.longest { coming = .seconds(1) }
    defer { coming = min(coming * 2, Self.longest) }
    return coming
  }
}
