import Foundation
import Glibc
import Mediator
import MediatorLinux
import MediatorTestKit
import Testing

@testable import MediatorBridge

private struct Keeper: SecretsListener {
  let log = Shared<[String]>([])
  func secretsDidBecomeAvailable(_ transition: LifecycleTransition) async throws { log.withLock { $0.append("come") } }
  func secretsWillBecomeUnavailable(_ transition: LifecycleTransition) async throws {
    log.withLock { $0.append("gone") }
  }
}

/// The source in the place of the bridge's, with a folder of the test's.
@Suite("Credentials that come and go", .timeLimit(.minutes(5)))
final class SecretsSourceTests {
  private let folder: String
  private let loop: EventLoop
  private let keeper = Keeper()
  private let driver: LifecycleDriver
  private let source: SecretsSource

  init() async throws {
    folder = "/tmp/mediator-\(UInt64.random(in: 0 ... .max))"
    precondition(mkdir(folder, 0o700) == 0)
    loop = try EventLoop(name: "secrets")
    let context = LifecycleContext(start: StartInformation(credentialsDirectory: folder))
    driver = LifecycleDriver(context: context) { [keeper] in keeper }
    source = SecretsSource(lifecycle: driver.lifecycle, loop: loop)
    try await driver.start()
  }

  deinit {
    loop.shutdown()
    try? FileManager.default.removeItem(atPath: folder)
  }

  private func open() async {
    await withCheckedContinuation { continuation in
      loop.submit { [source] in
        source.open()
        continuation.resume()
      }
    }
  }

  private func write(_ text: String) throws {
    // Beside the folder, in which another name would be another renewal.
    try Data(text.utf8).write(to: URL(filePath: "\(folder).key"))
    #expect(rename("\(folder).key", "\(folder)/key") == 0)
  }

  private func told(_ wanted: [String]) async {
    await eventually { keeper.log.withLock(\.self) == wanted }
    #expect(keeper.log.withLock(\.self) == wanted)
  }

  @Test("listeners are told at once of what there is, then of each renewal, and when all is gone")
  func life() async throws {
    try write("one")
    await open()
    await told(["come"])
    try write("another")
    await told(["come", "come"])
    unlink("\(folder)/key")
    await told(["come", "come", "gone"])
    try write("again")
    await told(["come", "come", "gone", "come"])
  }

  @Test("an empty folder is told of when something comes into it, and one that goes itself takes all with it")
  func folders() async throws {
    await open()
    try write("one")
    await told(["come"])
    try FileManager.default.removeItem(atPath: folder)
    await told(["come", "gone"])
    #expect(mkdir(folder, 0o700) == 0)
    try write("two")
    await told(["come", "gone", "come"])
    try write("three, longer")
    await told(["come", "gone", "come", "come"])
  }
}
