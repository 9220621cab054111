/// Messages of programs under `lifecycled run` that come oddly, or in great numbers.
import Foundation
import Glibc
import Mediator
import MediatorLinux
import MediatorTestKit
import Testing

@Suite("Messages under lifecycled run", .timeLimit(.minutes(5)))
struct RunMessageTests {
  let folder: HookFolder
  init() throws { folder = try HookFolder() }

  private static let forEver = "while True: time.sleep(1000)"

  @Test("C03: a hundred helpers that each send one message and end at once are all known")
  func helpers() async throws {
    // A refusal is said once, so that none is said says that none was refused.
    let code = """
      for number in range(100):
        if os.fork() == 0:
          notify('STATUS=helper %d' % number); os._exit(0)
        os.wait()
      notify('READY=1')
      """
    let run = try DaemonUnderTest.run(
      folder, ["--ready=notify", "--notify-access=all"], try folder.python("\(code)\n\(Self.forEver)"))
    try await run.ready()
    #expect(await eventually { run.messages.contains { $0.contains("STATUS=helper 99") } }, "\(run.messages)")
    #expect(!run.logs("refused"))
    #expect(await run.stop() == .exited(0))
  }

  @Test("C14, C06: a program that hands over to another main process is told that it went into the background")
  func handover() async throws {
    let mark = "handover-\(UInt32.random(in: 0 ... .max))"
    let code = """
      notify('READY=1')
      wait_for('go')
      new = subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(1000)', '\(mark)'], start_new_session=True)
      notify('MAINPID=%d' % new.pid)
      sys.exit(0)
      """
    let run = try DaemonUnderTest.run(folder, ["--ready=notify"], try folder.python(code))
    try await run.ready()
    folder.touch("go")
    try await run.told("STOPPING=1")
    #expect(await run.ended() == .exited(70), "\(run.log)")
    #expect(run.logs("refused MAINPID=: the main process stays the one we started"))
    #expect(run.logs("went into the background"))
    #expect(!run.allMessages.contains { $0.contains("MAINPID") })
    #expect(processes(with: mark).isEmpty)
  }

  @Test("F09: what is nearly READY=1 is not; behind two empty lines it is")
  func nearMisses() async throws {
    let code = """
      for text in ['', 'READY=1 ', ' READY=1', 'READY = 1', '=1']: notify(text)
      notify('X=1')
      trace('sent')
      wait_for('go')
      notify(chr(10) * 2 + 'READY=1')
      """
    let run = try DaemonUnderTest.run(folder, ["--ready=notify"], try folder.python("\(code)\n\(Self.forEver)"))
    await run.untilRan("sent")
    #expect(!run.messages.contains { $0.contains("READY=1") })
    folder.touch("go")
    try await run.ready()
    #expect(await run.stop() == .exited(0))
  }

  @Test("Of 200,000 messages of four processes none is lost")
  func storm() async throws {
    // Senders wait where the socket is full, so each message is in it; the barrier behind them is closed when all before
    // it were taken. That the receiver hands each of so many on is a test of its own.
    let code = """
      def storm(number):
        with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as s:
          s.connect(chr(0) + os.environ["NOTIFY_SOCKET"][1:])
          for count in range(50000): s.send(b'STATUS=%d of %d' % (count, number))
      notify('READY=1')
      children = []
      for number in range(4):
        children.append(os.fork())
        if children[-1] == 0: storm(number); os._exit(0)
      sent = sum(os.waitpid(child, 0)[1] == 0 for child in children)
      mine, theirs = os.pipe()
      with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as s:
        s.connect(chr(0) + os.environ["NOTIFY_SOCKET"][1:])
        socket.send_fds(s, [b'BARRIER=1'], [theirs])
      os.close(theirs)
      trace('%d senders, barrier %d' % (sent, len(os.read(mine, 1))))
      notify('STATUS=after the storm')
      """
    let run = try DaemonUnderTest.run(
      folder, ["--ready=notify", "--notify-access=all"], try folder.python("\(code)\n\(Self.forEver)"))
    try await run.ready()
    await run.untilRan("4 senders, barrier 0")
    #expect(await eventually { run.messages.contains { $0.contains("after the storm") } })
    #expect(!run.logs("refused"))
    #expect(await run.stop() == .exited(0))
  }
}
