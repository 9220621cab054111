/// What a reload does with programs that come, go and fail.
import Foundation
import Glibc
import MediatorLinux
import MediatorTestKit
import Testing

@Suite("Programs in a reload", .timeLimit(.minutes(5)))
struct ProgramReloadTests {
  let folder: HookFolder
  init() throws { folder = try HookFolder() }

  private func code(_ name: String) -> String {
    """
    def term(*_): trace("\(name) stops"); sys.exit(0)
    signal.signal(signal.SIGTERM, term)
    trace("\(name) starts")
    notify("READY=1")
    while True: time.sleep(1000)
    """
  }

  @Test("A required newcomer that does not become ready refuses the reload; what was stopped for it comes back")
  func refused() async throws {
    try folder.program("10-stays", code("stays"), keys: "Ready=notify")
    try folder.program("20-gone", code("gone"), keys: "Ready=notify")
    try folder.hook("25-gone", on: "start foreground background stop")
    let daemon = try DaemonUnderTest(folder)
    try await daemon.ready()
    folder.forget()
    try folder.remove("20-gone.process")
    try folder.remove("25-gone.hook")
    try folder.hook("30-new", on: "start stop")
    try folder.program("40-new", "trace('new starts')\nnotify('ERRNO=5')\nsys.exit(3)", keys: "Ready=notify")
    let end = try await daemon.reload()
    #expect(end.value(of: "STATUS") == "reload failed: 40-new: ended before it was ready, exit 3")
    #expect(end.value(of: "ERRNO") == "5")
    #expect(
      folder.ran == [
        "25-gone background stop", "25-gone stop stop", "gone stops", "30-new start start", "new starts",
        "30-new stop stop", "gone starts", "25-gone start start", "25-gone foreground start",
      ])
    await daemon.untilLogged("<3>program 40-new: in the reload: ended before it was ready, exit 3")
    folder.forget()
    try folder.program("40-new", code("new"), keys: "Ready=notify")
    #expect(try await daemon.reload().value(of: "ERRNO") == "0")
    #expect(
      folder.ran == ["25-gone background stop", "25-gone stop stop", "gone stops", "30-new start start", "new starts"])
    await daemon.untilLogged("generation 2")
    #expect(await eventually { daemon.messages.last?.contains("STATUS=10-stays ready, 40-new ready") == true })
    folder.forget()
    #expect(await daemon.stop() == .exited(0))
    #expect(folder.ran == ["new stops", "30-new stop stop", "stays stops"])
  }

  @Test("When a changed program refuses the reload, newcomers go again and those that are gone come back")
  func refusedLater() async throws {
    try folder.program("10-changes", code("old"), keys: "Ready=notify")
    try folder.program("20-gone", code("gone"), keys: "Ready=notify")
    let daemon = try DaemonUnderTest(folder)
    try await daemon.ready()
    folder.forget()
    try folder.program("10-changes", "trace('changed starts')\nsys.exit(3)", keys: "Ready=notify")
    try folder.remove("20-gone.process")
    try folder.program("30-new", code("new"), keys: "Ready=notify")
    let end = try await daemon.reload()
    #expect(end.value(of: "STATUS") == "reload failed: 10-changes: ended before it was ready, exit 3")
    #expect(
      folder.ran == [
        "gone stops", "new starts", "old stops", "changed starts", "old starts", "new stops", "gone starts",
      ])
    folder.forget()
    #expect(await daemon.stop() == .exited(0))
    #expect(folder.ran == ["gone stops", "old stops"])
  }

  @Test("An optional program that has failed is tried again by each reload, though its file is the same")
  func triedAgain() async throws {
    let keys = "Ready=notify\nRequired=no"
    try folder.program("10-a", code("a"), keys: "Ready=notify")
    try folder.program(
      "20-b",
      """
      if not os.path.exists("\(folder.beside("works"))"): trace("b fails"); sys.exit(1)
      trace("b works")
      notify("READY=1")
      wait_for("die")
      sys.exit(4)
      """, keys: keys)
    let daemon = try DaemonUnderTest(folder)
    let trouble = "STATUS=degraded: 20-b: ended before it was ready, exit 1"
    #expect(try await daemon.ready().text.contains(trouble))
    #expect(try await daemon.reload().text.contains(trouble))
    folder.touch("works")
    #expect(try await daemon.reload().text.contains("degraded") == false)
    #expect(folder.ran == ["a starts", "b fails", "b fails", "b works"])
    folder.touch("die")
    #expect(await eventually { daemon.messages.last?.contains("degraded: 20-b: exited 4") == true })
    try FileManager.default.removeItem(atPath: folder.beside("die"))
    #expect(try await daemon.reload().text.contains("degraded") == false)
    #expect(folder.ran.suffix(1) == ["b works"])
    #expect(await daemon.stop() == .exited(0))
  }
}
