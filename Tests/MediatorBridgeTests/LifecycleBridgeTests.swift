import Dispatch
import Foundation
import Mediator
import MediatorBridge
import Testing

/// Signals and the manager belong to the whole process, so each of these runs in a process of its own.
@Suite("The bridge in a process", .timeLimit(.minutes(5)))
struct LifecycleBridgeTests {
  @Test("B11: SIGTERM stops in order, exit 0; the earlier disposition is back afterwards")
  func terminate() async {
    await #expect(processExitsWith: .exitCode(0)) {
      let log = Lines()
      let bridge = try LifecycleBridge {
        Sayer("a", log)
        Sayer("b", log)
      }
      let run = Task { await bridge.run() }
      try await bridge.lifecycle.state(.foreground)
      kill(getpid(), SIGTERM)
      let status = await run.value
      precondition(status == 0)
      precondition(log.all.suffix(2) == ["b.willTerminate", "a.willTerminate"], "\(log.all)")
      precondition(disposition(SIGTERM) == 0, "SIG_DFL again")
      exit(0)
    }
  }

  @Test("F14: a second bridge is a typed error, and the first goes on; after the first has gone a new one works")
  func second() async {
    await #expect(processExitsWith: .exitCode(0)) {
      do {
        let first = try LifecycleBridge { Sayer("a", Lines()) }
        do {
          _ = try LifecycleBridge {}
          preconditionFailure("made a second one")
        } catch let error as LifecycleError {
          precondition(error.code == .bridgeExists)
        }
        let run = Task { await first.run() }
        try await first.lifecycle.state(.foreground)
        kill(getpid(), SIGTERM)
        let status = await run.value
        precondition(status == 0)
      }
      // The run's task may still hold the first for a moment.
      var second: LifecycleBridge?
      for _ in 0..<500 where second == nil {
        second = try? LifecycleBridge {}
        if second == nil { try await Task.sleep(for: .milliseconds(10)) }
      }
      guard let second else { preconditionFailure("no new bridge after the first has gone") }
      second.lifecycle.requestStop()
      let status = await second.run()
      precondition(status == 0)
      exit(0)
    }
  }

  @Test("F14: after the bridge has ended, SIGTERM ends the process as it did before")
  func afterEnd() async {
    await #expect(processExitsWith: .signal(SIGTERM)) {
      let bridge = try LifecycleBridge {}
      bridge.lifecycle.requestStop()
      let status = await bridge.run()
      precondition(status == 0)
      kill(getpid(), SIGTERM)
      try await Task.sleep(for: .seconds(10))
    }
  }

  @Test("When the run is over and the process does not end, the third signal ends it; the second does not")
  func hangsAfterEnd() async {
    await #expect(processExitsWith: .exitCode(128 + SIGTERM)) {
      let bridge = try LifecycleBridge(overriding: [:], timeouts: LifecycleTimeouts()) {}
      let run = Task { await bridge.runUntilExit() }
      try await bridge.lifecycle.state(.foreground)
      kill(getpid(), SIGTERM)
      let status = await run.value
      precondition(status == 0)
      kill(getpid(), SIGTERM)
      try await Task.sleep(for: .milliseconds(200))
      kill(getpid(), SIGTERM)
      try await Task.sleep(for: .seconds(10))
    }
  }

  @Test("Signals that arrive between the making of the bridge and its run are not lost")
  func beforeRun() async {
    await #expect(processExitsWith: .exitCode(0)) {
      let log = Lines()
      let bridge = try LifecycleBridge { Sayer("a", log) }
      kill(getpid(), SIGUSR1)
      let run = Task { await bridge.run() }
      try await bridge.lifecycle.state(.background)
      kill(getpid(), SIGUSR2)
      try await bridge.lifecycle.state(.foreground)
      kill(getpid(), SIGINT)
      let status = await run.value
      precondition(status == 0)
      exit(0)
    }
  }

  @Test("Cancelling the task of run is a stop in order")
  func cancelled() async {
    await #expect(processExitsWith: .exitCode(0)) {
      let log = Lines()
      let bridge = try LifecycleBridge { Sayer("a", log) }
      let run = Task { await bridge.run() }
      try await bridge.lifecycle.state(.foreground)
      run.cancel()
      let status = await run.value
      precondition(status == 0)
      precondition(log.all.last == "a.willTerminate")
      exit(0)
    }
  }

  @Test("B07: SIGHUP and no listener that reloads: the service lives on")
  func hangup() async {
    await #expect(processExitsWith: .exitCode(0)) {
      // On a terminal it would be a stop.
      dup2(open("/dev/null", O_RDONLY), 0)
      let bridge = try LifecycleBridge { Sayer("a", Lines()) }
      let reports = bridge.lifecycle.reports
      let run = Task { await bridge.run() }
      try await bridge.lifecycle.state(.foreground)
      kill(getpid(), SIGHUP)
      for await report in reports { if case .nothingToReload = report { break } }
      precondition(bridge.lifecycle.state == .foreground)
      kill(getpid(), SIGTERM)
      let status = await run.value
      precondition(status == 0)
      exit(0)
    }
  }

  @Test("B15: a Dispatch source that takes SIGTERM after us: taken back and reported once; SIGTERM stops in order")
  func stolen() async {
    await #expect(processExitsWith: .exitCode(0)) {
      let log = Lines()
      let bridge = try LifecycleBridge { Thief(log: log) }
      let reports = bridge.lifecycle.reports
      let run = Task { await bridge.run() }
      try await bridge.lifecycle.state(.foreground)
      kill(getpid(), SIGTERM)
      let status = await run.value
      precondition(status == 0)
      var reclaimed = 0
      for await report in reports { if case .signalsReclaimed(let numbers) = report { reclaimed += numbers.count } }
      precondition(reclaimed == 1, "\(reclaimed)")
      precondition(log.all == ["thief.willTerminate"])
      exit(0)
    }
  }

  @Test("A listener that names a signal gets it, with its sender")
  func named() async {
    await #expect(processExitsWith: .exitCode(0)) {
      let log = Lines()
      let bridge = try LifecycleBridge { Alarmed(log: log) }
      let run = Task { await bridge.run() }
      try await bridge.lifecycle.state(.foreground)
      kill(getpid(), SIGALRM)
      while log.all.isEmpty { try await Task.sleep(for: .milliseconds(1)) }
      precondition(log.all == ["signal 14 from \(getpid())"], "\(log.all)")
      kill(getpid(), SIGTERM)
      let status = await run.value
      precondition(status == 0)
      exit(0)
    }
  }

  @Test("With the host as owner no disposition is touched, and lifecycle.reload and stop do the work")
  func host() async {
    await #expect(processExitsWith: .exitCode(0)) {
      let before = (1..<65).map { disposition(Int32($0)) }
      let bridge = try LifecycleBridge(signals: .host) { Sayer("a", Lines()) }
      precondition(before == (1..<65).map { disposition(Int32($0)) })
      let run = Task { await bridge.run() }
      try await bridge.lifecycle.state(.foreground)
      _ = await bridge.lifecycle.reload()
      let status = await bridge.lifecycle.stop()
      let runStatus = await run.value
      precondition(status == 0 && runStatus == 0)
      exit(0)
    }
  }

  @Test("Exceptions are left to whoever had them")
  func exceptions() async {
    await #expect(processExitsWith: .signal(SIGINT)) {
      let bridge = try LifecycleBridge(signals: .bridge(exceptFor: [SignalNumber(SIGINT)])) {}
      let run = Task { await bridge.run() }
      try await bridge.lifecycle.state(.foreground)
      kill(getpid(), SIGINT)
      _ = await run.value
    }
  }

  @Test("B16: with the signal pipe full of SIGUSR1 a single SIGTERM still stops")
  func fullPipe() async {
    await #expect(processExitsWith: .exitCode(0)) {
      let bridge = try LifecycleBridge { Sayer("a", Lines()) }
      for _ in 0..<20_000 { kill(getpid(), SIGUSR1) }
      kill(getpid(), SIGTERM)
      let status = await bridge.run()
      precondition(status == 0)
      exit(0)
    }
  }
}

/// The handler's address; 0 is SIG_DFL.
func disposition(_ number: Int32) -> UInt {
  var action = sigaction()
  sigaction(number, nil, &action)
  return unsafeBitCast(action.__sigaction_handler.sa_handler, to: UInt.self)
}

/// What was said, in order.
final class Lines: Sendable {
  private let lines = Shared<[String]>([])
  var all: [String] { lines.withLock(\.self) }
  func add(_ line: String) { lines.withLock { $0.append(line) } }
}

struct Sayer: LifecycleListener {
  let name: String
  let log: Lines
  init(_ name: String, _ log: Lines) {
    self.name = name
    self.log = log
  }
  func didFinishLaunching(_ transition: LifecycleTransition) async throws { log.add("\(name).didFinishLaunching") }
  func willTerminate(_ transition: LifecycleTransition) async throws { log.add("\(name).willTerminate") }
}

/// Takes SIGTERM with a Dispatch source while it starts, as a library may do.
final class Thief: LifecycleListener {
  let name = "thief"
  let log: Lines
  // Resumed once and otherwise never touched.
  nonisolated(unsafe) let source = DispatchSource.makeSignalSource(signal: SIGTERM)
  init(log: Lines) { self.log = log }

  func didFinishLaunching(_ transition: LifecycleTransition) async throws {
    let ours = disposition(SIGTERM)
    source.setEventHandler {}
    source.resume()
    // Dispatch takes the signal a little later, on a thread of its own.
    while disposition(SIGTERM) == ours { try await Task.sleep(for: .milliseconds(1)) }
  }
  func willTerminate(_ transition: LifecycleTransition) async throws { log.add("thief.willTerminate") }
}

struct Alarmed: SignalListener {
  let log: Lines
  let signals: Set<SignalNumber> = [SignalNumber(SIGALRM)]
  func didReceiveSignal(_ transition: LifecycleTransition) async throws {
    guard case .signal(let number, let pid, _, _) = transition.origin else { return }
    log.add("signal \(number.rawValue) from \(pid)")
  }
}
