/// A hook's process is killed, at every event and place: what is decided comes of it.
import Foundation
import Glibc
import MediatorLinux
import Testing

@Suite("A hook whose process is killed", .timeLimit(.minutes(5)))
struct HookFaultTests {
  struct Case: Sendable, CustomStringConvertible {
    var event: String
    var isRequired: Bool
    /// Of five hooks.
    var place: Int
    var description: String { "\(event), \(isRequired ? "required" : "optional"), \(place + 1) of 5" }
  }

  private static let cases: [Case] = ["start", "foreground", "background", "prepare-reload", "reload", "stop"].flatMap {
    event in
    [true, false].flatMap { isRequired in [0, 2, 4].map { Case(event: event, isRequired: isRequired, place: $0) } }
  }

  @Test("SIGKILL in a hook fails it as every other failure does, at each event", arguments: cases)
  func killed(_ fault: Case) async throws {
    let folder = try HookFolder()
    for place in 0..<5 {
      let isFaulty = place == fault.place
      try folder.hook(
        "\(place)-h", on: "start foreground background prepare-reload reload revert-reload stop",
        isFaulty ? "if [ $LIFECYCLE_EVENT = \(fault.event) ]; then kill -KILL $$; fi" : "",
        keys: isFaulty && !fault.isRequired ? "Required=no" : "")
    }
    let daemon = try DaemonUnderTest(folder)
    if fault.isRequired, fault.event == "start" || fault.event == "foreground" {
      #expect(await daemon.ended() == .exited(69))
      #expect(!daemon.messages.contains { $0.contains("READY=1") })
    } else {
      try await daemon.ready()
      _ = try await daemon.reload()
      let isRefused = fault.isRequired && (fault.event == "prepare-reload" || fault.event == "reload")
      let isStopping = fault.event == "background" || fault.event == "stop"
      #expect(await daemon.stop() == .exited(fault.isRequired && isStopping ? 70 : 0))
      // The log comes later than what the manager is told: it is whole when the daemon has ended.
      #expect(daemon.logs("reloaded in") == !isRefused)
    }
    #expect(daemon.logs("\(fault.place)-h failed in"))
    // Whoever began its start is stopped, once, in reverse.
    let ran = folder.ran.map { $0.split(separator: " ") }
    let stops = ran.filter { $0[1] == "stop" }.compactMap { $0[0].first?.wholeNumberValue }
    #expect(stops == stops.sorted(by: >) && Set(stops).count == stops.count)
    #expect(stops.count == ran.count { $0[1] == "start" })
  }
}
