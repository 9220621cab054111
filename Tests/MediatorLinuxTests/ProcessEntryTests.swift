/// What is read of /proc/PID/stat.
import Glibc
import MediatorLinux
import Testing

@Suite("Process entry", .timeLimit(.minutes(5)))
struct ProcessEntryTests {
  private func stat(_ name: String, state: String = "S", threads: Int = 1) -> [UInt8] {
    Array(
      "42 (\(name)) \(state) 7 40 39 0 -1 4194560 1 2 3 4 5 6 7 8 20 0 \(threads) 0 98765 100 200 300\n".utf8)
  }

  @Test("a name may contain what ends a name", arguments: ["sh", "a b", "a) R 1 (b", ")", "((", "", "ü\n(x)"])
  func names(name: String) throws {
    let entry = try #require(ProcessEntry(stat: stat(name)))
    #expect(entry.pid == 42 && entry.parent == 7 && entry.group == 40 && entry.session == 39)
    #expect(entry.startTime == 98765)
    #expect(entry.isAlive)
  }

  @Test(
    "a zombie lives as long as one of its threads",
    arguments: [("Z", 1, false), ("Z", 3, true), ("X", 0, false), ("R", 1, true), ("T", 1, true), ("D", 1, true)])
  func states(state: String, threads: Int, isAlive: Bool) {
    #expect(ProcessEntry(stat: stat("x", state: state, threads: threads))?.isAlive == isAlive)
  }

  @Test(
    "what is no such line is nothing", arguments: ["", "42", "42 (sh", "42 (sh) S 1 2", "(sh) S 1", "x (sh) S 1 2 3"])
  func faults(text: String) {
    #expect(ProcessEntry(stat: Array(text.utf8)) == nil)
  }

  @Test("our own is ours")
  func own() throws {
    let entry = try #require(ProcessEntry(pid: getpid()))
    #expect(entry.parent == getppid() && entry.group == getpgrp() && entry.session == getsid(0) && entry.isAlive)
    #expect(ProcessEntry(pid: Int32.max) == nil)
  }

  @Test("those below a process come after their parents, whatever the numbers; loops and gaps harm nobody")
  func below() {
    func entry(_ pid: Int32, _ parent: Int32) -> ProcessEntry {
      let text = "\(pid) (x) S \(parent) 1 1 0 -1 0 0 0 0 0 0 0 0 0 20 0 1 0 5 0 0\n"
      return ProcessEntry(stat: Array(text.utf8))!
    }
    let table = ProcessTable([
      entry(1, 0), entry(9, 1), entry(3, 9), entry(2, 3), entry(7, 8), entry(5, 5), entry(4, 1),
    ])
    #expect(Set(table.below(1).map(\.pid)) == [9, 3, 2, 4])
    #expect(table.below(9).map(\.pid) == [3, 2])
    #expect(table.below(5).isEmpty)
    #expect(table.below(100).isEmpty)
  }
}
