/// A user's tests of their listeners, with the test kit's driver.
import Consumer
import ConsumerOfMainActor
import Foundation
import Mediator
import MediatorTestKit
import Synchronization
import Testing

@Suite(.timeLimit(.minutes(5)))
struct DriverTests {
  struct Failing: LifecycleListener {
    struct Trouble: Error {}
    let name: String
    func didFinishLaunching(_ transition: LifecycleTransition) throws { throw Trouble() }
  }

  @Test("D17: a struct, a class, a @MainActor class with state and an actor are called, each in its own isolation")
  func kinds() async throws {
    let calls = Calls()
    let ofMainActor = await MainActorListener(calls: calls)
    let ofItsOwn = ActorListener(calls: calls)
    let driver = LifecycleDriver {
      StructListener(calls: calls)
      ClassListener(calls: calls)
      ofMainActor
      ofItsOwn
    }
    try await driver.start()
    #expect(await driver.stop() == 0)

    let names = ["StructListener", "a class with a name of its own", "MainActorListener", "ActorListener"]
    #expect(
      calls.all
        == names.map { "\($0).didFinishLaunching" } + names.reversed().map { "\($0).willTerminate" })
    #expect(await ofMainActor.told == 2)
    #expect(await ofItsOwn.told == 2)
  }

  @Test("D17: a class of a module whose default isolation is the main actor is called there")
  func mainActorByDefault() async throws {
    let counter = await Counter()
    let driver = LifecycleDriver { counter }
    try await driver.start()
    #expect(await driver.stop() == 0)
    #expect(await counter.told == ["didFinishLaunching", "willTerminate"])
  }

  @Test("the builder takes entries, if, if-else, for and several listeners in one array")
  func builder() async throws {
    let calls = Calls()
    func driver(with isWanted: Bool, ports: [Int]) -> LifecycleDriver {
      LifecycleDriver {
        StructListener(calls: calls).required()
        if isWanted { Failing(name: "wanted").optional() }
        if isWanted { ClassListener(calls: calls) } else { ActorListener(calls: calls) }
        for port in ports { Failing(name: "port \(port)").optional() }
        [ListenerEntry(StructListener(calls: calls)), StructListener(calls: calls).optional()]
      }
    }
    func started(_ driver: LifecycleDriver) -> [String] {
      driver.events.filter { $0.event == .didFinishLaunching }.map(\.listener)
    }

    let rich = driver(with: true, ports: [1, 2])
    try await rich.start()
    #expect(await rich.stop() == 0)
    #expect(
      started(rich) == [
        "StructListener", "wanted", "a class with a name of its own", "port 1", "port 2", "StructListener",
        "StructListener",
      ])

    let poor = driver(with: false, ports: [])
    try await poor.start()
    #expect(await poor.stop() == 0)
    #expect(started(poor) == ["StructListener", "ActorListener", "StructListener", "StructListener"])
  }

  @Test("a required listener that fails ends the start with 69; an optional one only shows in STATUS")
  func policies() async throws {
    let strict = LifecycleDriver { Failing(name: "database").required() }
    await #expect(throws: LifecycleError.self) { try await strict.start() }
    #expect(await strict.exitStatus() == 69)

    let lenient = LifecycleDriver { Failing(name: "metrics").optional() }
    try await lenient.start()
    #expect(lenient.notifyMessages.last?.contains("STATUS=degraded: metrics: ") == true)
    #expect(await lenient.stop() == 0)
  }

  @Test("a plain observer's deferral holds up the transition until it is completed")
  func deferral() async throws {
    let taken = Mutex<LifecycleDeferral?>(nil)
    let (arrivals, arrival) = AsyncStream.makeStream(of: Void.self)
    let driver = LifecycleDriver {}
    let token = driver.center.addObserver(
      forName: Lifecycle.didEnterBackgroundNotification, object: driver.lifecycle, queue: nil
    ) { notification in
      let deferral = notification.lifecycleTransition?.takeDeferral("flush")
      taken.withLock { $0 = deferral }
      arrival.yield()
    }
    defer { driver.center.removeObserver(token) }
    try await driver.start()

    async let paused: Void = driver.pause()
    for await _ in arrivals { break }
    #expect(driver.lifecycle.state == .foreground)
    let deferral = try #require(taken.withLock { $0.take() })
    deferral.complete()
    try await paused
    #expect(driver.lifecycle.state == .background)

    async let status = driver.stop()
    #expect(await status == 0)
  }

  @Test("a reload is taken or refused as a whole, and the outcome says which")
  func reload() async throws {
    let text = Mutex("1")
    let first = Configuration { text.withLock { $0 } }
    let driver = LifecycleDriver {
      first
      StructListener(calls: Calls())
    }
    try await driver.start()
    #expect(await first.value == 1)

    text.withLock { $0 = "2" }
    guard case .reloaded(generation: 2, _) = await driver.reload() else {
      Issue.record("not reloaded")
      return
    }
    #expect(await first.value == 2)

    text.withLock { $0 = "two" }
    guard case .failed(let error) = await driver.reload() else {
      Issue.record("not refused")
      return
    }
    #expect(error.listener == "Configuration")
    #expect(error.message == "'two' is no number")
    #expect(await first.value == 2)
    #expect(await driver.stop() == 0)
  }

  @Test("a listener joins and leaves while the service runs")
  func membership() async throws {
    let calls = Calls()
    let driver = LifecycleDriver { StructListener(calls: Calls()) }
    try await driver.start()
    let token = try await driver.mediator.add(ListenerEntry(ActorListener(calls: calls)))
    #expect(calls.all == ["ActorListener.didFinishLaunching"])
    await driver.mediator.remove(token)
    #expect(calls.all == ["ActorListener.didFinishLaunching", "ActorListener.willTerminate"])
    #expect(await driver.stop() == 0)
  }
}
