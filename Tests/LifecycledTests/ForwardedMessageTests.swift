import Mediator
import Testing

@testable import lifecycled

@Suite("What goes on of a message", .timeLimit(.minutes(5)))
struct ForwardedMessageTests {
  @Test(
    "C07: of each key, exactly what the lifecycle does not tell itself and may be told",
    arguments: [
      ("READY=1", []), ("RELOADING=1\nMONOTONIC_USEC=1", []), ("STOPPING=1", []), ("STATUS=x", []), ("WATCHDOG=1", []),
      ("MAINPID=1", []), ("WATCHDOG_USEC=1", []), ("NOTIFYACCESS=all", []), ("X_Y=1", []), ("BARRIER=1", []),
      ("FDSTORE=1\nFDNAME=x\nFDPOLL=0", []), ("ERRNO=0", ["ERRNO=0"]), ("ERRNO=-1", []), ("ERRNO=x", []),
      ("ERRNO=2\nBUSERROR=org.a.B\nMAINPID=7", ["ERRNO=2", "BUSERROR=org.a.B"]), ("BUSERROR=nonsense", []),
      ("EXTEND_TIMEOUT_USEC=5", ["EXTEND_TIMEOUT_USEC=5"]), ("EXTEND_TIMEOUT_USEC=0", []),
      ("EXTEND_TIMEOUT_USEC=18446744073709551615", ["EXTEND_TIMEOUT_USEC=60000000"]),
    ] as [(String, [String])])
  func keys(text: String, lines: [String]) throws {
    let message = try #require(NotifyMessage(Array(text.utf8), isTruncated: false))
    #expect(ForwardedMessage.parts(of: message).flatMap(\.lines) == lines)
  }

  @Test("After STOPPING an errno may still go up and a D-Bus error not; more time is asked for only where a clock runs")
  func states() throws {
    let text = "ERRNO=2\nBUSERROR=org.a.B\nEXTEND_TIMEOUT_USEC=5"
    let message = try #require(NotifyMessage(Array(text.utf8), isTruncated: false))
    let parts = ForwardedMessage.parts(of: message)
    #expect(parts.map { $0.states.contains(.stopping) } == [true, false, true])
    #expect(parts.map { $0.states.contains(.foreground) } == [true, true, false])
  }
}
