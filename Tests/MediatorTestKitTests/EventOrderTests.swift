import Mediator
import MediatorTestKit
import Testing

@Suite("The order of events", .timeLimit(.minutes(5)))
struct EventOrderTests {
  private static let a = RecordedEvent("a", .didFinishLaunching, .start)
  private static let b = RecordedEvent("b", .didFinishLaunching, .start)
  private static let end = RecordedEvent("a", .willTerminate, .stop)

  @Test("Names of an event and events of a name, in order")
  func parts() async throws {
    let driver = LifecycleDriver {
      ScriptedListener("a")
      ScriptedListener("b")
    }
    try await driver.start()
    #expect(await driver.stop() == 0)
    #expect(driver.events.names(of: .didFinishLaunching) == ["a", "b"])
    #expect(driver.events.names(of: .willTerminate) == ["b", "a"])
    #expect(driver.events.names(of: .reload) == [])
    #expect(driver.events.prefix { $0.event != .willEnterForeground }.names(of: .willTerminate) == [])
    #expect(
      driver.events.events(of: "b") == [
        .willFinishLaunching, .didFinishLaunching, .willEnterForeground, .didBecomeActive, .willResignActive,
        .didEnterBackground, .willTerminate,
      ])
    #expect(driver.events.events(of: "nobody") == [])
    #expect(driver.events.containsInOrder([Self.a, Self.b, Self.end]))
  }

  @Test(
    "What is in order, and the first that is not",
    arguments: [
      ([a, b, end], [], nil),
      ([a, b, end], [a, end], nil),
      ([a, b, end], [b, a], a),
      ([a, b, end], [a, a], a),
      ([a, b, a], [a, a], nil),
      ([a], [a, end, b], end),
      ([], [a], a),
    ] as [([RecordedEvent], [RecordedEvent], RecordedEvent?)])
  func order(happened: [RecordedEvent], expected: [RecordedEvent], missing: RecordedEvent?) {
    #expect(happened.firstMissing(inOrder: expected) == missing)
    #expect(happened.containsInOrder(expected) == (missing == nil))
  }
}
