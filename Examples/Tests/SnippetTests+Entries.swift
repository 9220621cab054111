/// Entries: groups, factories, plans, what comes from elsewhere, and what comes while the service runs.
import Foundation
import Mediator
import MediatorTestKit
import Synchronization
import Testing

@testable import Snippets

extension SnippetTests {
  private struct Away: Error {}

  @Test("a list of listeners is made with if and for, and keeps their order and policies")
  func composition() async throws {
    let driver = LifecycleDriver { listeners(ports: [80, 443], withMetrics: true) }
    try await driver.start()
    #expect(driver.mediator.snapshot.map(\.name) == ["Database", "Metrics", "port 80", "port 443"])
    #expect(driver.mediator.snapshot.map(\.isRequired) == [true, false, true, true])
    #expect(await driver.stop() == 0)
  }

  @Test("a concurrent group starts all at once; an optional one that fails half-way is done without")
  func groups() async throws {
    let filled = Mutex<Set<String>>([])
    let prices = AsyncStream.makeStream(of: Void.self)
    let driver = LifecycleDriver {
      listenersInGroups { name in
        if name == "prices" { prices.continuation.finish() }
        if name == "users" { for await _ in prices.stream {} }  // comes back only because prices is told meanwhile
        if name == "index" || name == "pictures" { throw Away() }
        filled.withLock { _ = $0.insert(name) }
      }
    }
    try await driver.start()
    #expect(filled.withLock { $0 } == ["users", "prices"])
    #expect(driver.notifyMessages.last?.contains("degraded: ") == true)
    #expect(await driver.stop() == 0)
  }

  @Test("a required cache that cannot be filled fails the start")
  func requiredGroup() async {
    let driver = LifecycleDriver {
      listenersInGroups { name in if name == "prices" { throw Away() } }
    }
    driver.run()
    #expect(await driver.exitStatus() == 69)
    #expect(driver.notifyMessages.last?.contains("start failed: prices") == true)
  }

  @Test("a factory's listener depends on what an earlier one has put into the context", arguments: [nil, 8])
  func factories(workers: Int?) async throws {
    let arguments = ["shop"] + (workers.map { ["--workers", "\($0)"] } ?? [])
    let context = LifecycleContext(start: StartInformation(arguments: arguments))
    let driver = LifecycleDriver(context: context) { listenersMadeLate() }
    try await driver.start()
    #expect(context[workerCount] == workers ?? 4)
    #expect(driver.mediator.snapshot.map(\.name) == ["options", "workers"])
    #expect(await driver.stop() == 0)
  }

  @Test("an error in making a listener is the start's error")
  func badFactory() async {
    let context = LifecycleContext(start: StartInformation(arguments: ["shop", "--workers", "many"]))
    let driver = LifecycleDriver(context: context) { listenersMadeLate() }
    driver.run()
    #expect(await driver.exitStatus() == 69)
    #expect(driver.notifyMessages.last?.contains("start failed: options: --workers needs a number") == true)
  }

  @Test("each listener learns how the process was started")
  func startInformation() async throws {
    let told = Mutex<[String]>([])
    let start = StartInformation(sockets: ["http": [3], "admin": [4]], cause: .crashRecovery)
    let driver = LifecycleDriver(context: LifecycleContext(start: start)) {
      Startup { text in told.withLock { $0.append(text) } }
    }
    try await driver.start()
    #expect(told.withLock { $0 } == ["crashRecovery, sockets: admin http"])
    #expect(await driver.stop() == 0)
  }

  @Test("what libraries have registered reaches one lifecycle, before its own listeners, and can be taken out")
  func injector() async throws {
    let injector = LifecycleInjector()
    let token = Tracing.install(endpoint: "http://collector", into: injector)
    let driver = LifecycleDriver(injector: injector) { Database() }
    let other = LifecycleDriver(injector: injector) { Database() }
    try await driver.start()
    #expect(driver.mediator.snapshot.map(\.name) == ["Tracing", "Database"])
    #expect(other.mediator.snapshot.map(\.name) == ["Database"])
    await injector.remove(token)
    #expect(driver.events.last == RecordedEvent("Tracing", .willTerminate, .stop))
    #expect(await driver.stop() == 0)
  }

  @Test("a plan runs when the service starts")
  func plan() async throws {
    let driver = LifecycleDriver { warmUp(Cache()) }
    try await driver.start()
    #expect(driver.mediator.snapshot.map(\.name) == ["warm up"])
    #expect(driver.notifyMessages.last?.contains("degraded") == false)
    #expect(await driver.stop() == 0)
  }

  @Test("a start waits for a condition of its own, and what stands behind it is started then")
  func waiting() async throws {
    let looks = Mutex(0)
    let entries = listenersThatWait {
      looks.withLock { looks in
        looks += 1
        return looks == 3
      }
    }
    #expect(entries.map(\.name) == ["tcp db.internal:5432", "file /run/vault/agent.sock", "migrations", "Database"])
    let driver = LifecycleDriver { Array(entries[2...]) }
    try await driver.start()
    #expect(looks.withLock { $0 } == 3)
    #expect(await driver.stop() == 0)
  }

  @Test("tenants come and go while the service runs")
  func tenants() async throws {
    let driver = LifecycleDriver { Database() }
    try await driver.start()
    let token = try await admit("acme", to: driver.mediator)
    #expect(driver.events.last == RecordedEvent("acme", .didBecomeActive, .start))
    await dismiss(token, from: driver.mediator)
    #expect(driver.events.last == RecordedEvent("acme", .willTerminate, .stop))
    #expect(await driver.stop() == 0)
  }

  @Test("a listener that takes another one's place stands where it stood")
  func replacing() async throws {
    let driver = LifecycleDriver { Database() }
    try await driver.start()
    let old = try await driver.mediator.add(ListenerEntry(Port(number: 80)))
    try await driver.mediator.add(ListenerEntry(Startup { _ in }))
    let new = try await move(old, to: 8080, in: driver.mediator)
    _ = try await addMetrics(before: new, to: driver.mediator)
    #expect(driver.mediator.snapshot.map(\.name) == ["Database", "Metrics", "port 8080", "Startup"])
    let moved = driver.events.filter { $0.listener.hasPrefix("port") }.suffix(5)
    #expect(moved.first == RecordedEvent("port 80", .willTerminate, .stop))
    #expect(moved.last == RecordedEvent("port 8080", .didBecomeActive, .start))
    #expect(await driver.stop() == 0)
  }

  @Test("a mediator that comes late brings its listeners to where the lifecycle is")
  func storefront() async throws {
    let log = Ledger()
    let driver = LifecycleDriver {}
    try await driver.start()
    let storefront = Storefront(of: driver.lifecycle, center: driver.center, log: log)
    #expect(await eventually { log.lines == ["banner"] })
    #expect(await driver.stop() == 0)
    #expect(log.lines == ["banner", "end"])
    withExtendedLifetime(storefront) {}
  }
}
