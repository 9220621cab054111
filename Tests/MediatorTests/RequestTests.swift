import Foundation
import Mediator
import MediatorTestKit
import Testing

struct Answering: RequestListener {
  let name: String
  let log: Log
  var body: @Sendable (LifecycleRequest) async throws -> RequestAnswer = { _ in .declined }

  func answer(_ request: LifecycleRequest) async throws -> RequestAnswer {
    log.add("\(name).\(request.verb)")
    return try await body(request)
  }
}

@Suite("Requests", .timeLimit(.minutes(5)))
struct RequestTests {
  private let url = URL(string: "app://item/7")!

  @Test("D01: the first that does not decline takes the request, and nobody after it is asked")
  func firstTaker() async throws {
    let log = Log()
    let driver = LifecycleDriver {
      Answering(name: "a", log: log)
      Answering(name: "b", log: log) { .taken(Data($0.url!.absoluteString.utf8)) }
      Answering(name: "c", log: log)
    }
    try await driver.start()
    let result = await driver.send(LifecycleRequest(opening: url))
    #expect(result == .handled(by: "b", Data("app://item/7".utf8)))
    #expect(log.take() == ["a.open", "b.open"])
    #expect(await driver.stop() == 0)
  }

  @Test("D01: refused and unclaimed are two results; a throw refuses, and does not degrade the service")
  func otherResults() async throws {
    let log = Log()
    let driver = LifecycleDriver {
      Answering(name: "a", log: log) { request in
        switch request.verb {
        case "no": return .refused("not today")
        case "broken": throw Trouble("it broke")
        default: return .declined
        }
      }
      Answering(name: "b", log: log)
    }
    try await driver.start()
    #expect(await driver.send(LifecycleRequest("no")) == .refused(by: "a", "not today"))
    #expect(await driver.send(LifecycleRequest("broken")) == .refused(by: "a", "it broke"))
    #expect(await driver.send(.reopen) == .unclaimed)
    #expect(log.take() == ["a.no", "a.broken", "a.reopen", "b.reopen"])
    #expect(driver.notifyMessages.last == "STATUS=running\nREADY=1")
    #expect(await driver.stop() == 0)
    #expect(await driver.send(.reopen) == .refused(by: "lifecycle", "the service is not running, or stops"))
  }

  @Test("F16: a request that comes in the start is kept, offered once after didBecomeActive, and its caller waits")
  func duringStart() async throws {
    let (log, gate) = (Log(), Gate())
    let driver = LifecycleDriver {
      Answering(name: "a", log: log) { _ in .taken(Data()) }
      Named("slow", log: log) { if $0.event == .didFinishLaunching { await gate.pass() } }
    }
    driver.run()
    await eventually { log.lines.last == "slow.didFinishLaunching" }
    async let result = driver.send(LifecycleRequest("early"))
    await eventually { driver.lifecycle.core.withLock { $0.machine.hasWaitingRequests } }
    #expect(!log.lines.contains("a.early"))
    await gate.open()
    #expect(await result == .handled(by: "a", Data()))
    #expect(log.take().suffix(2) == ["slow.didBecomeActive", "a.early"])
    #expect(await driver.stop() == 0)
  }

  @Test("F16: a start that fails refuses what waited for its end")
  func failedStart() async throws {
    let (log, gate) = (Log(), Gate())
    let driver = LifecycleDriver {
      Answering(name: "a", log: log)
      Named("slow", log: log, failing: [.didFinishLaunching]) {
        if $0.event == .didFinishLaunching { await gate.pass() }
      }
    }
    driver.run()
    await eventually { log.lines.last == "slow.didFinishLaunching" }
    async let result = driver.send(LifecycleRequest("early"))
    await eventually { driver.lifecycle.core.withLock { $0.machine.hasWaitingRequests } }
    await gate.open()
    #expect(await result == .refused(by: "lifecycle", "the service is not running, or stops"))
    #expect(await driver.exitStatus() == 69)
    #expect(!log.lines.contains("a.early"))
  }

  @Test("Each of a batch is completed once, in its place")
  func batch() async throws {
    let log = Log()
    let driver = LifecycleDriver {
      Answering(name: "a", log: log) { $0.verb == "3" ? .declined : .taken(Data($0.verb.utf8)) }
    }
    try await driver.start()
    let results = await driver.lifecycle.send((0..<6).map { LifecycleRequest("\($0)") })
    let expected = (0..<6).map { $0 == 3 ? RequestResult.unclaimed : .handled(by: "a", Data("\($0)".utf8)) }
    #expect(results == expected)
    #expect(log.take().sorted() == (0..<6).map { "a.\($0)" })
    #expect(await driver.stop() == 0)
  }

  @Test("A fallback is asked last for requests, and told of signals that nobody else names")
  func fallback() async throws {
    struct Rest: RequestListener, SignalListener {
      let log: Log
      var signals: Set<SignalNumber> { [SignalNumber(34), SignalNumber(35)] }
      func didReceiveSignal(_ transition: LifecycleTransition) async throws { log.add("rest.signal") }
      func answer(_ request: LifecycleRequest) async throws -> RequestAnswer {
        log.add("rest.\(request.verb)")
        return .refused("unknown verb")
      }
    }
    struct Named35: SignalListener {
      let log: Log
      var signals: Set<SignalNumber> { [SignalNumber(35)] }
      func didReceiveSignal(_ transition: LifecycleTransition) async throws { log.add("named.signal") }
    }
    let log = Log()
    let driver = LifecycleDriver {
      Rest(log: log).fallback()
      Answering(name: "a", log: log) { $0.verb == "mine" ? .taken(Data()) : .declined }
      Named35(log: log)
    }
    try await driver.start()
    #expect(await driver.send(LifecycleRequest("mine")) == .handled(by: "a", Data()))
    #expect(await driver.send(LifecycleRequest("other")) == .refused(by: "Rest", "unknown verb"))
    await driver.signal(SignalNumber(35))
    await driver.signal(SignalNumber(34))
    await driver.signal(SignalNumber(50))
    #expect(log.take() == ["a.mine", "a.other", "rest.other", "named.signal", "rest.signal", "rest.signal"])
    #expect(await driver.stop() == 0)
  }

  @Test("A listener that never answers is passed over after the limit of one call, and the next is asked")
  func hangingListener() async throws {
    let log = Log()
    let driver = LifecycleDriver(timeouts: LifecycleTimeouts(call: .seconds(5))) {
      Answering(name: "a", log: log) { _ in
        await hang()
        return .declined
      }
      Answering(name: "b", log: log) { _ in .taken(Data()) }
    }
    try await driver.start()
    async let result = driver.send(LifecycleRequest("v"))
    await eventually { log.lines.last == "a.v" }
    driver.clock.advance(by: .seconds(5))
    await eventually { driver.clock.sleeperCount > 1 }
    driver.clock.advance(by: grace)
    #expect(await result == .handled(by: "b", Data()))
    #expect(await driver.stop() == 0)
  }
}
