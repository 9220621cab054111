import Foundation
import Glibc
import Mediator
import MediatorTestKit
import Testing

@testable import MediatorBridge

@Suite("What the bridge adds to the trace", .timeLimit(.minutes(5)))
struct BridgeTraceTests {
  @Test("A signal with its sender, and each message to the manager, once and as it was sent")
  func signalsAndMessages() async {
    await #expect(processExitsWith: .exitCode(0)) {
      let manager = try FakeServiceManager()
      setenv("NOTIFY_SOCKET", manager.address, 1)
      let bridge = try LifecycleBridge { Sayer("a", Lines()) }
      let trace = LifecycleTrace()
      bridge.lifecycle.trace = trace
      let run = Task { await bridge.run() }
      try await bridge.lifecycle.state(.foreground)
      kill(getpid(), SIGTERM)
      let status = await run.value
      precondition(status == 0)
      let signals = trace.entries.compactMap { entry in
        if case .signal(let origin) = entry.kind { origin } else { nil }
      }
      precondition(
        signals == [.signal(number: SignalNumber(SIGTERM), senderPID: getpid(), senderUID: getuid(), value: nil)])
      let messages = trace.entries.compactMap { entry in
        if case .notify(let text) = entry.kind { (text, entry.result) } else { nil }
      }
      precondition(messages.allSatisfy { $0.1 == .completed })
      precondition(messages.count { $0.0.contains("READY=1") } == 1, "\(messages)")
      precondition(messages.count { $0.0.contains("STOPPING=1") } == 1, "\(messages)")
      exit(0)
    }
  }

  @Test("A message that could not be sent says why; one that was sent again is there once")
  func troubles() async {
    await #expect(processExitsWith: .exitCode(0)) {
      let results = { (wire: WireUnderTest) in
        let trace = LifecycleTrace()
        _ = try await BridgeLife.live(over: wire, trace: trace)
        return trace.entries.compactMap { entry -> LifecycleTrace.Entry.Result? in
          if case .notify(let text) = entry.kind, text.hasSuffix("READY=1") { entry.result } else { nil }
        }
      }
      let gone = try await results(WireUnderTest(failing: .ready, with: ECONNREFUSED, times: 1))
      guard case .failed(let why)? = gone.first else { preconditionFailure("\(gone)") }
      precondition(why.contains("refused") && gone.dropFirst().allSatisfy { $0 == .completed }, "\(gone)")
      let full = try await results(WireUnderTest(failing: .ready, with: EAGAIN, times: 2))
      precondition(full == [.completed, .completed], "\(full)")
      exit(0)
    }
  }
}
