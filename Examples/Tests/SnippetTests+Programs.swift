/// Whole programs, each in a process of its own.
import Foundation
import Mediator
import MediatorBridge
import Testing

@testable import Snippets

extension SnippetTests {
  /// Asks for the stop as systemd does, once the service takes work.
  private struct Terminated: LifecycleListener {
    func didBecomeActive(_ transition: LifecycleTransition) { kill(getpid(), SIGTERM) }
  }

  @Test("an application that is a struct runs until SIGTERM, and exits with 0")
  func application() async {
    await #expect(processExitsWith: .exitCode(0)) {
      precondition(Bakery().listeners.map(\.name) == ["Database", "Metrics", "port 8080"])
      LifecycleInjector.shared.register(Terminated())
      await Bakery.main()
    }
  }

  @Test("an application that is a class runs until SIGTERM, and a subclass has more listeners")
  func pluggable() async {
    await #expect(processExitsWith: .exitCode(0)) {
      LifecycleInjector.shared.register(Terminated())
      precondition(FlagshipShop().listeners.map(\.name) == ["Database", "port 8080", "Metrics"])
      await FlagshipShop.main()
    }
  }

  @Test("reports are written until the last one")
  func reports() async {
    await #expect(processExitsWith: .exitCode(0)) {
      exit(await runWithReports(try LifecycleBridge { Terminated() }))
    }
  }

  @Test("a file chooses the listeners, in its order, and each fault in it is named")
  func registry() async {
    await #expect(processExitsWith: .exitCode(0)) {
      let file = FileManager.default.temporaryDirectory.appending(path: "listeners-\(UUID()).json")
      defer { try? FileManager.default.removeItem(at: file) }
      try Data(#"[{"id": "database2"}]"#.utf8).write(to: file)
      do {
        _ = try bridge(listedIn: file)
        preconditionFailure("a listener of that name does not exist")
      } catch { precondition("\(error)".contains("database2"), "\(error)") }
      try Data(#"[{"id": "database", "timeout": 5}, {"id": "metrics", "required": false}, "Snippets.Mailer"]"#.utf8)
        .write(to: file)
      let listed = try bridge(listedIn: file)
      precondition(listed.mediator.snapshot.map(\.isRequired) == [true, false, true])
      try await listed.mediator.add(ListenerEntry(Terminated()))
      let status = await listed.run()
      let names = listed.mediator.snapshot.map(\.name)
      precondition(names == ["database", "metrics", "Snippets.Mailer", "Terminated"], "\(names)")
      try FileManager.default.removeItem(at: file)
      exit(status)
    }
  }
}
