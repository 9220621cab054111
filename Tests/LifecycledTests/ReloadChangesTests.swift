import MediatorBridge
import Testing

@testable import lifecycled

@Suite("What a reload says that it changed")
struct ReloadChangesTests {
  private func load(_ files: [String: String]) -> Configuration {
    let files = Dictionary(uniqueKeysWithValues: files.map { ("/etc/lifecycled/\($0)", $1) })
    let configuration = MemoryFolders(files).load()
    #expect(configuration.faults.isEmpty)
    return configuration
  }

  private func changes(from old: [String: String], to new: [String: String]) -> ControlFacts.Changes {
    ControlFacts.Changes(from: load(old), to: load(new))
  }

  private func program(_ keys: String = "", command: String = "/bin/sleep 1000") -> String {
    "[Process]\nExec=\(command)\n\(keys)\n"
  }

  @Test("A program is restarted for another command, and only changed for what takes effect while it runs")
  func programs() {
    let old = ["a.process": program(), "b.process": program(), "c.process": program(), "d.process": program()]
    let new = [
      "a.process": program(command: "/bin/sleep 1001"), "b.process": program("StopSignal=INT"),
      "c.process": program("HealthIntervalSec=3\nHealth=exec /bin/true"), "d.process": program(),
    ]
    let changes = changes(from: old, to: new)
    #expect(changes.restarted == ["a"])
    #expect(changes.changed == ["b", "c"])
    #expect(changes.added + changes.removed == [])
  }

  @Test("One whose reload overlaps is restarted for anything")
  func overlap() {
    let keys = "Reload=overlap\nSockets=web"
    let changes = changes(
      from: ["a.process": program(keys)], to: ["a.process": program(keys + "\nStopSignal=INT")])
    #expect(changes.restarted == ["a"])
  }

  @Test("Hooks are changed; who comes and goes is named; what waits for the next start, too")
  func others() {
    let hook = "[Hook]\nOn=reload\nExec=/bin/true"
    let changes = changes(
      from: ["a.hook": hook + " 1", "b.hook": hook, "c.process": program()],
      to: ["a.hook": hook + " 2", "c.process": program("Required=no"), "d.hook": hook])
    #expect(changes.changed.first == "a")
    #expect((changes.added, changes.removed) == (["d"], ["b"]))
    #expect(changes.needRestart == ["Required= of c"])
  }
}
