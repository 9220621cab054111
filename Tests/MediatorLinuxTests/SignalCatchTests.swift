/// Whether a signal would end a program, asked of real ones.
import Glibc
import MediatorLinux
import Testing

@Suite("Signal catch", .timeLimit(.minutes(5)))
struct SignalCatchTests {
  private static let block = "import signal; signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGHUP]); "

  @Test(
    "F19: a handler, an ignored signal, one that every thread blocks, and the default are told apart",
    arguments: [
      ("trap : HUP; echo up; while :; do sleep 0.1; done", .caught),
      ("trap '' HUP; echo up; while :; do sleep 0.1; done", .ignored),
      ("echo up; while :; do sleep 0.1; done", .defaulted),
      ("exec python3 -c '\(block)print(\"up\", flush=True); signal.pause()'", .blocked),
      ("exec python3 -c '\(block)print(\"up\", flush=True); signal.sigwait([signal.SIGHUP])'", .awaited),
    ] as [(String, SignalCatch)])
  func dispositions(script: String, expected: SignalCatch) throws {
    let stage = try ChildTests.Stage()
    let child = try stage.shell(script)
    defer {
      try? child.signalGroup(SIGKILL)
      _ = stage.end()
    }
    #expect(eventually { stage.output == "up\n" })
    // It says so before it waits.
    #expect(eventually { SignalCatch.of(SIGHUP, in: child.processID) == expected })
  }

  @Test("nothing is known of who is not there, nor of what is no signal")
  func nobody() {
    #expect(SignalCatch.of(SIGHUP, in: Int32.max) == nil)
    #expect(SignalCatch.of(0, in: getpid()) == nil)
    #expect(SignalCatch.of(65, in: getpid()) == nil)
  }
}
