import Testing

@testable import lifecycled

@Suite("Messages of programs", .timeLimit(.minutes(5)))
struct NotifyMessageTests {
  private func read(_ text: String) -> NotifyMessage? { NotifyMessage(Array(text.utf8), isTruncated: false) }
  private let nothing = NotifyMessage([], isTruncated: false)

  @Test(
    "F09: a flag counts only as exactly its line",
    arguments: ["", "READY=1 ", " READY=1", "READY = 1", "=1", "READY=", "READY", "READY=11", "ready=1", "=", "\n\r\n"])
  func nearMisses(text: String) {
    #expect(nothing != nil && nothing?.change == nil)
    #expect(read(text) == nothing)
  }

  @Test(
    "F09: empty lines, CR as LF and one zero at the end are nothing",
    arguments: ["\n\nREADY=1", "READY=1", "READY=1\0", "X=1\rREADY=1\r\n", "READY=0\nREADY=1"])
  func ready(text: String) {
    #expect(read(text)?.isReady == true)
    #expect(read(text)?.change == .ready)
  }

  @Test("A message that is too long or has a zero inside is dropped whole")
  func dropped() {
    let longest = "READY=1\nX=" + String(repeating: "x", count: 4096 - 10)
    #expect(read(longest)?.isReady == true)
    #expect(read(longest + "x") == nil)
    #expect(NotifyMessage(Array(longest.utf8), isTruncated: true) == nil)
    #expect(read("READY=1\0\0") == nil)
    #expect(read("READY=1\n\0STATUS=x") == nil)
    #expect(read("\0") == nothing)
  }

  @Test(
    "C04: in one message STOPPING goes before READY, and READY with RELOADING is a whole reload",
    arguments: [
      ("RELOADING=1\nREADY=1", NotifyMessage.Change.reloaded), ("READY=1\nRELOADING=1", .reloaded),
      ("RELOADING=1", .reloading), ("READY=1\nSTOPPING=1", .stopping),
      ("STOPPING=1\nRELOADING=1\nREADY=1", .stopping), ("READY=1", .ready),
    ])
  func precedence(text: String, change: NotifyMessage.Change) {
    #expect(read(text)?.change == change)
  }

  @Test("Of a value that comes twice the first counts, also when it is not valid")
  func firstCounts() {
    #expect(read("STATUS=a\nSTATUS=b")?.status == "a")
    #expect(read("ERRNO=x\nERRNO=2")?.errno == nil)
    #expect(read("WATCHDOG=trigger\nWATCHDOG=1")?.triggersWatchdog == true)
    #expect(read("WATCHDOG=trigger\nWATCHDOG=1")?.pingsWatchdog == false)
  }

  @Test(
    "A number is decimal digits that its type holds",
    arguments: [
      ("0", 0, 0), ("7", 7, 7), ("007", 7, 7), ("2147483647", 2_147_483_647, 2_147_483_647),
      ("2147483648", nil, 2_147_483_648), ("18446744073709551615", nil, UInt64.max),
      ("18446744073709551616", nil, nil), ("99999999999999999999999999", nil, nil), ("", nil, nil), ("-1", nil, nil),
      ("+1", nil, nil), (" 1", nil, nil), ("1 ", nil, nil), ("0x1", nil, nil), ("1=2", nil, nil), ("١", nil, nil),
    ] as [(String, Int32?, UInt64?)])
  func numbers(digits: String, small: Int32?, large: UInt64?) {
    #expect(read("ERRNO=\(digits)")?.errno == small)
    #expect(read("EXTEND_TIMEOUT_USEC=\(digits)")?.extendTimeout == large)
    #expect(read("WATCHDOG_USEC=\(digits)")?.watchdogInterval == large)
    #expect(read("MONOTONIC_USEC=\(digits)")?.monotonic == large)
  }

  @Test("Every key arrives in its place, and the others say nothing")
  func keys() throws {
    let message = try #require(
      read(
        """
        RELOADING=1
        STATUS=a=b ü
        BUSERROR=org.freedesktop.DBus.Error.TimedOut
        WATCHDOG=1
        FDSTORE=1
        FDSTOREREMOVE=1
        FDNAME=db
        MAINPID=1
        X_OWN=1
        NOTIFYACCESS=all
        """))
    #expect(message.status == "a=b ü")
    #expect(message.busError == "org.freedesktop.DBus.Error.TimedOut")
    #expect(message.pingsWatchdog && !message.triggersWatchdog)
    #expect(message.storesDescriptors && message.removesDescriptors && message.descriptorName == "db")
    #expect(message.claimsMainProcess, "C06")
    #expect(read("NOTIFYACCESS=all\nX=1\nREADY2=1") == nothing)
  }

  @Test("F18: what a status holds of control characters and bad bytes is shown, not sent")
  func status() throws {
    let bytes = Array("STATUS=<0>x".utf8) + [0x1B] + Array("[2J".utf8) + [0x9B] + Array("\rERRNO=1".utf8)
    let message = try #require(NotifyMessage(bytes, isTruncated: false))
    #expect(message.status == "<0>x\\x1b[2J\\x9b")
    #expect(message.errno == 1)
    #expect(read("STATUS=")?.status == "")
    let long = try #require(read("STATUS=" + String(repeating: "ü", count: 2000))?.status)
    #expect(long == String(repeating: "ü", count: 256))
  }

  @Test("BARRIER=1 is alone, or the message is dropped whole")
  func barrier() {
    #expect(read("BARRIER=1")?.isBarrier == true)
    #expect(read("\nBARRIER=1\n\n")?.isBarrier == true)
    #expect(read("BARRIER=1\nREADY=1") == nil)
    #expect(read("X=1\nBARRIER=1") == nil)
    #expect(read("BARRIER=0\nREADY=1")?.isReady == true)
  }

  @Test(
    "Names are checked as systemd checks them",
    arguments: [
      ("FDNAME=a b", true), ("FDNAME=", true), ("FDNAME=a:b", false), ("FDNAME=ü", false), ("FDNAME=\u{7F}", false),
      ("FDNAME=" + String(repeating: "a", count: 255), true), ("FDNAME=" + String(repeating: "a", count: 256), false),
      ("BUSERROR=a.b", true), ("BUSERROR=a._9", true), ("BUSERROR=a", false), ("BUSERROR=", false),
      ("BUSERROR=.a", false), ("BUSERROR=a.", false), ("BUSERROR=a..b", false), ("BUSERROR=a.9", false),
      ("BUSERROR=a.b-c", false), ("BUSERROR=a." + String(repeating: "b", count: 254), false),
    ])
  func names(text: String, isValid: Bool) throws {
    let message = try #require(read(text))
    #expect((message.descriptorName != nil || message.busError != nil) == isValid)
  }

  @Test("F08: who may send, and a refusal that names NotifyAccess")
  func access() {
    typealias Access = ProgramDefinition.NotifyAccess
    #expect(Access.main.refusal(sender: 7, mainProcess: 7, isInProgram: true) == nil)
    #expect(
      Access.main.refusal(sender: 8, mainProcess: 7, isInProgram: true)
        == "refused a message of process 8: NotifyAccess=main, and the main process is 7")
    #expect(
      Access.main.refusal(sender: 0, mainProcess: nil, isInProgram: nil)
        == "refused a message of an unknown process: NotifyAccess=main, and there is no main process")
    #expect(Access.all.refusal(sender: 8, mainProcess: 7, isInProgram: true) == nil)
    #expect(Access.all.refusal(sender: 8, mainProcess: 7, isInProgram: nil) == nil, "C03")
    #expect(
      Access.all.refusal(sender: 8, mainProcess: 7, isInProgram: false)
        == "refused a message of process 8: NotifyAccess=all, and it is not a process of this program")
    #expect(
      Access.none.refusal(sender: 7, mainProcess: 7, isInProgram: true)
        == "refused a message of process 7: NotifyAccess=none")
  }
}
