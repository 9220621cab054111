/// `fd:N` readiness with real programs.
import Glibc
import MediatorLinux
import Testing

@Suite("Readiness pipe", .timeLimit(.minutes(5)))
struct ReadinessPipeTests {
  private let told = Log<ReadinessPipe.Outcome>()

  private func start(_ script: String, on stage: ChildTests.Stage) throws -> ReadinessPipe {
    let pipe = try ReadinessPipe()
    _ = try stage.start(
      SpawnRequest(
        executable: "/bin/sh", arguments: ["sh", "-c", script], environment: ["PATH=/usr/bin:/bin"],
        descriptors: [7: pipe.writeEnd]))
    pipe.closeWriteEnd()
    try pipe.watch(on: stage.loop) { [told] in told.add($0) }
    return pipe
  }

  @Test("a newline is readiness, once, and what comes after it kills nobody")
  func ready() throws {
    let stage = try ChildTests.Stage()
    let pipe = try start("printf ab >&7; printf 'c\\nd' >&7; sleep 0.1; echo >&7; echo >&7; exit 3", on: stage)
    #expect(stage.end().status == .exited(3))
    #expect(told.wait(for: 1) == [.ready])
    #expect(pipe.writeEnd == -1)
    stage.loop.shutdown()
    #expect(told.all == [.ready])
  }

  @Test("the end without a newline is told while the program still runs")
  func closed() throws {
    let stage = try ChildTests.Stage()
    _ = try start("printf almost >&7; exec 7>&-; sleep 0.5; exit 4", on: stage)
    #expect(told.wait(for: 1) == [.closed])
    #expect(stage.status == nil)
    #expect(stage.end().status == .exited(4))
  }

  @Test("a program that dies has closed it too")
  func died() throws {
    let stage = try ChildTests.Stage()
    _ = try start("kill -9 $$", on: stage)
    #expect(told.wait(for: 1) == [.closed])
    #expect(stage.end().status == .signalled(SIGKILL, coreDumped: false))
  }

  @Test("after cancel nothing is told")
  func cancelled() throws {
    let stage = try ChildTests.Stage()
    let pipe = try start("sleep 0.1; echo >&7", on: stage)
    pipe.cancel()
    _ = stage.end()
    stage.loop.shutdown()
    #expect(told.count == 0)
  }
}
