/// A listener with something to open at the start and to close at the end.
import Mediator

/// What your database's client calls a connection.
protocol Connection: Sendable {
  func close() async
}

actor Pool: LifecycleListener {
  private let connect: @Sendable () async throws -> any Connection
  private var connections: [any Connection] = []

  init(connect: @escaping @Sendable () async throws -> any Connection) { self.connect = connect }

  /// A database that is away fails the start: STATUS then says why, and systemd tries again.
  func didFinishLaunching(_ transition: LifecycleTransition) async throws {
    for _ in 0..<4 { connections.append(try await connect()) }
  }

  /// Comes also after a start that failed half-way, so it takes what there is.
  func willTerminate(_ transition: LifecycleTransition) async {
    while let connection = connections.popLast() { await connection.close() }
  }
}
