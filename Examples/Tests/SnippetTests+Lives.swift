/// Terminating, scenes, state that outlives the process, reloading, and whole programs.
import Foundation
import Mediator
import MediatorBridge
import MediatorTestKit
import Testing

@testable import Snippets

extension SnippetTests {
  @Test("a stop is cancelled, put off, or begins at once, as the listeners say")
  func termination() async throws {
    let uploads = Uploads()
    let driver = LifecycleDriver { uploads }
    try await driver.start()
    await uploads.migrate(true)
    #expect(await askToStop(driver.lifecycle) == "not now: a migration is running")
    #expect(driver.lifecycle.state == .foreground)
    await uploads.migrate(false)
    await uploads.begin()
    #expect(await askToStop(driver.lifecycle) == "stopping in 10.0 seconds")
    #expect(driver.lifecycle.state == .foreground)
    driver.clock.advance(by: .seconds(10))
    #expect(await driver.exitStatus() == 0)

    let idle = LifecycleDriver { Uploads() }
    try await idle.start()
    #expect(await askToStop(idle.lifecycle) == "stopping")
    #expect(await idle.exitStatus() == 0)
  }

  @Test("a service that nobody uses ends after its time, or with its last scene")
  func onDemand() async throws {
    let driver = LifecycleDriver { Invoices() }
    serveOnDemand(driver.lifecycle)
    try await driver.start()
    #expect(await eventually { driver.clock.sleeperCount == 1 })
    driver.clock.advance(by: .seconds(300))
    #expect(await driver.exitStatus() == 0)

    let log = Ledger()
    let tenants = LifecycleDriver { listenersForTenants(log: log) }
    serveTenantsOnly(tenants.lifecycle)
    try await tenants.start()
    let scene = try await welcome("acme", tenants.lifecycle)
    await scene.disconnect()
    #expect(await tenants.exitStatus() == 0)
  }

  @Test("each scene has a listener of its own, and goes to the background with the lifecycle")
  func scenes() async throws {
    let log = Ledger()
    let census = SceneCensus()
    let driver = LifecycleDriver {
      census
      listenersForTenants(log: log)
    }
    try await driver.start()
    let acme = try await welcome("acme", driver.lifecycle)
    let other = try await welcome("other", driver.lifecycle)
    #expect(log.lines == ["acme: open the store", "acme: serve", "other: open the store", "other: serve"])
    #expect(await census.connected == ["tenant acme", "tenant other"])
    await other.disconnect()
    #expect(log.lines.suffix(2) == ["other: pause", "other: close the store"])
    #expect(await census.connected == ["tenant acme"])
    try await driver.pause()
    #expect(log.lines.last == "acme: pause")
    await acme.discard()
    #expect(log.lines.suffix(2) == ["acme: close the store", "acme: delete the store"])
    await #expect(throws: LifecycleError.self) { try await welcome("", driver.lifecycle) }
    #expect(driver.lifecycle.scenes.isEmpty)
    #expect(await driver.stop() == 0)
    let serials = await census.serials
    #expect(Set(serials).count == serials.count)
  }

  @Test("the next run gets what this one has left")
  func state() async throws {
    let visitors = Visitors()
    let driver = LifecycleDriver { visitors }
    try await driver.start()
    for _ in 1...3 { await visitors.welcome() }
    #expect(await driver.stop() == 0)

    let next = Visitors()
    let other = LifecycleDriver(savedState: driver.savedState) { next }
    try await other.start()
    #expect(await next.count == 3)
    #expect(await other.stop() == 0)

    var old = driver.savedState
    old[0].version = 1
    let fresh = Visitors()
    let last = LifecycleDriver(savedState: old) { fresh }
    try await last.start()
    #expect(await fresh.count == 0)
    #expect(await last.stop() == 0)
  }

  private struct Refuses: ReloadListener {
    func prepareReload(_ transition: LifecycleTransition) {}
    func reload(_ prepared: Void, _ transition: LifecycleTransition) throws { throw CancellationError() }
    func revertReload(_ transition: LifecycleTransition) {}
  }

  @Test("a configuration is swapped when it is valid, and stays, or comes back, when somebody refuses the reload")
  func limits() async throws {
    let file = FileManager.default.temporaryDirectory.appending(path: "limits-\(UUID()).json")
    defer { try? FileManager.default.removeItem(at: file) }
    func write(_ connections: Int) throws {
      try JSONEncoder().encode(Limits(connections: connections, bytesPerRequest: 4096)).write(to: file)
    }
    try write(1)
    let provider = try LimitsProvider(file: file)
    let driver = LifecycleDriver { provider }
    try await driver.start()
    try write(0)
    #expect(await answerToReload(driver.lifecycle).text.contains("limits must be positive"))
    #expect(provider.current.connections == 1)
    try write(2)
    #expect(await answerToReload(driver.lifecycle).status == 200)
    #expect(provider.current.connections == 2)
    try await driver.mediator.add(ListenerEntry(Refuses()))
    try write(3)
    #expect(await answerToReload(driver.lifecycle).status == 409)
    #expect(provider.current.connections == 2)
    #expect(await driver.stop() == 0)
  }

  @Test("an observer's deferral that fails in a stop is reported")
  func flushInStop() async throws {
    let driver = LifecycleDriver(center: .default) {}
    let token = flushWhenInBackground(of: driver.lifecycle) { throw Refused() }
    defer { NotificationCenter.default.removeObserver(token) }
    let reports = driver.lifecycle.reports
    try await driver.start()
    #expect(await driver.stop() == 0)
    var failed: [String] = []
    for await case .listenerFailed(let failure) in reports { failed.append(failure.listener) }
    #expect(failed == ["flush"])
  }

  @Test("a plain observer makes the pause wait until it has finished, and its failure degrades the service")
  func flush() async throws {
    let driver = LifecycleDriver(center: .default) {}
    let token = flushWhenInBackground(of: driver.lifecycle) { throw Refused() }
    defer { NotificationCenter.default.removeObserver(token) }
    try await driver.start()
    try await driver.pause()
    #expect(driver.notifyMessages.last == "STATUS=paused, degraded: flush: Refused()")
    #expect(await driver.stop() == 0)
  }
}
