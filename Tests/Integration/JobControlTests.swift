/// `lifecycled run` in a shell on a terminal: what its keys do.
import Foundation
import MediatorLinux
import Testing

@Suite("Job control", .timeLimit(.minutes(5)))
struct JobControlTests {
  let folder: HookFolder
  init() throws { folder = try HookFolder() }

  /// A program that tells its number and its parent's.
  private func program(_ more: String = "") throws -> [String] {
    try folder.python(
      """
      for name, number in [("parent", os.getppid()), ("program", os.getpid())]:
        open("\(folder.beside(""))" + name, "w").write("%d" % number + chr(10))
      \(more)
      print("up", flush=True)
      while True: time.sleep(1000)
      """)
  }

  private func onTerminal(_ scenario: String, _ options: [String], _ program: [String]) throws -> DaemonUnderTest {
    try DaemonUnderTest.run(
      folder, options, program, manager: nil, environment: ["TERM": "dumb", "NO_COLOR": "1", "PS1": "$ "],
      launcher: try TerminalDriver.words(folder, scenario))
  }

  private func expectOver(_ driver: DaemonUnderTest) async {
    #expect(await driver.ended() == .exited(0), "\(driver.log.joined(separator: "\n"))")
    #expect(driver.logs("the scenario is over"))
  }

  @Test("Ctrl-Z stops the program and lifecycled, fg and bg let both go on, and Ctrl-C is an ordered stop")
  func keys() async throws {
    let driver = try onTerminal(
      """
      start("/bin/bash", "--norc", "--noprofile", "-i")
      keys(command + chr(10)); until("didBecomeActive")
      both = [number("parent"), number("program")]
      def are(letter): return lambda: [state(pid) for pid in both] == [letter, letter]
      for resume in ["fg", "bg; fg"]:
        keys(chr(26)); until("Stopped"); wait("stopped", are("T"))
        keys(resume + chr(10)); wait("resumed", are("S"))
        # the shell's line for it; what is typed before that may still be the shell's
        until("run"); wait("in the foreground", lambda: os.tcgetpgrp(terminal) == os.getpgid(both[0]))
      keys(chr(3)); until("finished with exit status 0"); until("$ ")
      keys("echo exit=$?" + chr(10)); until("exit=0")
      wait("gone", are("-"))
      keys("exit" + chr(10)); end()
      """, ["--ready=log:up"], try program("if sys.stdin.read() != '': sys.exit(9)"))
    await expectOver(driver)
  }

  @Test("Ctrl-Z works also while the program starts, and a stop ends a program that is stopped")
  func starting() async throws {
    let driver = try onTerminal(
      """
      start("/bin/bash", "--norc", "--noprofile", "-i")
      keys(command + chr(10)); until("didFinishLaunching")
      both = [number("parent"), number("program")]
      def are(letter): return lambda: [state(pid) for pid in both] == [letter, letter]
      keys(chr(26)); until("Stopped"); wait("stopped", are("T"))
      keys("kill %1; fg" + chr(10)); until("finished with exit status 0"); wait("gone", are("-"))
      keys("exit" + chr(10)); end()
      """, ["--ready=notify"], try program())
    await expectOver(driver)
  }

  @Test("Where no shell could let it go on, Ctrl-Z stops nothing for good; the hang-up of the terminal is a stop")
  func orphaned() async throws {
    let driver = try onTerminal(
      """
      start(*sys.argv[1:])
      until("didBecomeActive")
      both = [number("parent"), number("program")]
      keys(chr(26)); until("SIGTSTP")
      wait("going on", lambda: [state(pid) for pid in both] == ["S", "S"])
      hang_up()
      if end() != 0: sys.exit("not a stop")
      """, ["--ready=log:up"], try program())
    await expectOver(driver)
  }

  @Test("A program that reads from the terminal all the same is stopped by that, and a stop still ends it")
  func reads() async throws {
    let driver = try onTerminal(
      """
      start(*sys.argv[1:])
      program = number("program")
      wait("stopped", lambda: state(program) == "T")
      keys(chr(3))
      if end() != 0: sys.exit("not a stop")
      """, [], try program("open('/dev/tty').read(1)"))
    await expectOver(driver)
  }
}
