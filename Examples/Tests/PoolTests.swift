/// A start that fails half-way, in a test: what was opened is closed, in reverse.
import Mediator
import MediatorTestKit
import Synchronization
import Testing

@testable import Snippets

@Suite(.timeLimit(.minutes(1)))
struct PoolTests {
  private final class Server: Sendable {
    let log = Mutex<[String]>([])

    func connect() throws -> any Connection {
      try log.withLock { log in
        guard log.count < 2 else { throw LifecycleError(.listenerFailed, message: "too many connections") }
        log.append("open \(log.count)")
        return Line(number: log.count - 1, server: self)
      }
    }
  }

  private struct Line: Connection {
    var number: Int
    var server: Server
    func close() { server.log.withLock { $0.append("close \(number)") } }
  }

  @Test("a database that refuses the third connection fails the start, and the first two are closed")
  func refused() async {
    let server = Server()
    let driver = LifecycleDriver { Pool { try server.connect() } }
    driver.run()

    #expect(await driver.exitStatus() == 69)
    #expect(server.log.withLock(\.self) == ["open 0", "open 1", "close 1", "close 0"])
    #expect(driver.notifyMessages.last?.contains("Pool: too many connections") == true)
    #expect(!driver.notifyMessages.contains { $0.contains("READY=1") })
  }
}
