/// What a program leaves running is found and ended. Each test is a subreaper in a process of its own.
import Glibc
import MediatorLinux
import Testing

@Suite("Process tree", .timeLimit(.minutes(5)))
struct ProcessTreeTests {
  /// A shell whose output is not a pipe that its survivors could keep open.
  static func start(_ script: String, on stage: ChildTests.Stage, _ environment: [String] = []) throws -> Child {
    try stage.start(
      SpawnRequest(
        executable: "/bin/sh", arguments: ["sh", "-c", script], environment: ["PATH=/usr/bin:/bin"] + environment,
        output: .null))
  }

  static func names(_ entries: [ProcessEntry]) -> [String] {
    entries.map { contents(of: "/proc/\($0.pid)/comm").replacing("\n", with: "") }.sorted()
  }

  @Test("a survivor of double fork, setsid and an empty environment is found through its parents while they live")
  func chain() throws {
    let stage = try ChildTests.Stage()
    let child = try Self.start("sh -c 'setsid env -i sleep 1000 & wait' & wait", on: stage)
    #expect(eventually { Self.names(Descendants.of(child.processID)) == ["sh", "sleep"] })
    let sleeper = try #require(Descendants.of(child.processID).last)
    #expect(sleeper.session != getsid(0) && sleeper.group != child.processID)
    for entry in Descendants.of(child.processID) { kill(entry.pid, SIGKILL) }
    #expect(eventually { Descendants.of(child.processID).isEmpty })
    #expect(stage.end().status != nil)
  }

  @Test("a name with parentheses hides nobody")
  func strangeName() throws {
    let stage = try ChildTests.Stage()
    let child = try Self.start(
      "d=$(mktemp -d); cp /bin/sleep \"$d/a) R 1 (b\"; \"$d/a) R 1 (b\" 1000 & wait; rm -r $d", on: stage)
    #expect(eventually { Self.names(Descendants.of(child.processID)) == ["a) R 1 (b"] })
    for entry in Descendants.of(child.processID) { kill(entry.pid, SIGKILL) }
    #expect(stage.end().status == .exited(0))
  }

  @Test("an orphan is found as our own child, and by a mark in its environment")
  func orphans() async {
    await #expect(processExitsWith: .success) {
      let (reaping, stage) = (try ChildReaperTests.Reaping(), try ChildTests.Stage())
      let bystander = try Self.start("exec sleep 999", on: try ChildTests.Stage())
      _ = try Self.start("(setsid env -i sleep 1000 &); (setsid sleep 1001 &)", on: stage, ["MARK=1"])
      #expect(stage.end().status == .exited(0))
      #expect(eventually { Self.names(Descendants.orphans()) == ["sleep", "sleep"] })
      #expect(eventually { Self.names(Descendants.marked("MARK=1")) == ["sleep"] })
      #expect(Descendants.marked("MARK=").isEmpty && Descendants.marked("ARK=1").isEmpty)
      let tree = ProcessTree(root: Int32.max, includesOrphans: true)
      #expect(tree.end(within: .seconds(10)) == [])
      #expect(reaping.log.wait(for: 2).allSatisfy { $0.status == .signalled(SIGKILL, coreDumped: false) })
      try bystander.signal(0)
      try bystander.signal(SIGKILL)
    }
  }

  @Test("one that left its group is found in each look, also in the midst of execve(2), when it has no environment")
  func inExec() async {
    await #expect(processExitsWith: .success) {
      let (reaping, stage) = (try ChildReaperTests.Reaping(), try ChildTests.Stage())
      let again = #"exec sh -c "$0" "$0""#
      let child = try Self.start("setsid sh -c '\(again)' '\(again)' & exit 0", on: stage, ["MARK=1"])
      let tree = ProcessTree(root: child.processID, mark: "MARK=1")
      #expect(stage.end().status == .exited(0))
      #expect((0..<1000).allSatisfy { _ in tree.members().count == 1 })
      #expect(tree.end(within: .seconds(10)) == [])
      #expect(reaping.log.wait(for: 1).count == 1)
    }
  }

  @Test("whether there is an orphan to be found is told to all who ask at once, and no child of ours is one")
  func look() async {
    await #expect(processExitsWith: .success) {
      let (reaping, stage, other) = (try ChildReaperTests.Reaping(), try ChildTests.Stage(), try ChildTests.Stage())
      let look = OrphanLook()
      func answers() async -> Set<Bool> {
        await withTaskGroup(of: Bool.self) { group in
          for _ in 0..<50 { group.addTask { await look.mayFindAny() } }
          return await group.reduce(into: []) { $0.insert($1) }
        }
      }
      // While others on the machine come and go all the time, a look stays on the safe side.
      func areSureSomeTime() async -> Bool {
        #if TSAN
          return true  // under the tool no look is certain
        #else
          for _ in 0..<100 where await answers() == [false] { return true }
          return false
        #endif
      }
      let child = try Self.start("exec sleep 999", on: other)
      #expect(await areSureSomeTime())
      _ = try Self.start("(setsid env -i sleep 1000 &)", on: stage)
      #expect(stage.end().status == .exited(0))
      #expect(await answers() == [true])
      #expect(ProcessTree(root: Int32.max, includesOrphans: true).end(within: .seconds(10)) == [])
      _ = reaping.log.wait(for: 1)
      #expect(await areSureSomeTime())
      try child.signal(SIGKILL)
    }
  }

  @Test("the lists of the kernel tell at once whether there is an orphan; what any thread of ours has started is none")
  func lists() async {
    await #expect(processExitsWith: .success) {
      guard access("/proc/self/task/\(getpid())/children", R_OK) == 0 else { return }
      let (reaping, stage, other) = (try ChildReaperTests.Reaping(), try ChildTests.Stage(), try ChildTests.Stage())
      func mayFindAny() -> Bool? {
        let told = Log<Bool?>()
        reaping.loop.submit { told.add(OrphanLook().mayFindAnyOnLoop()) }
        return told.wait(for: 1).first ?? nil
      }
      let children = Log<Child>()
      // Of threads that have ended, too: their children are another thread's by then.
      onThreads(4) { _ in
        for _ in 0..<50 { if let child = try? Self.start("exec sleep 999", on: other) { children.add(child) } }
      }
      #expect(children.all.count == 200 && mayFindAny() == false)
      _ = try Self.start("(setsid env -i sleep 1000 &)", on: stage)
      #expect(stage.end().status == .exited(0))
      #expect(mayFindAny() == true)
      #expect(ProcessTree(root: Int32.max, includesOrphans: true).end(within: .seconds(10)) == [])
      _ = reaping.log.wait(for: 1)
      #expect(eventually { mayFindAny() == false })
      for child in children.all { try child.signal(SIGKILL) }
    }
  }

  @Test("the end takes the group, its descendants and what is marked, and leaves the next program alone")
  func end() async {
    await #expect(processExitsWith: .success) {
      let (reaping, stage, other) = (try ChildReaperTests.Reaping(), try ChildTests.Stage(), try ChildTests.Stage())
      let bystander = try Self.start("sleep 1000 & (setsid sleep 1000 &); wait", on: other, ["MARK=2"])
      let child = try Self.start(
        "trap '' TERM HUP INT; (sleep 1000 &); setsid env -i sh -c 'sleep 1000 & wait' & (setsid sleep 1000 &); wait",
        on: stage, ["MARK=1"])
      let tree = ProcessTree(root: child.processID, mark: "MARK=1")
      #expect(eventually { Self.names(tree.members()) == ["sh", "sh", "sleep", "sleep", "sleep"] })
      #expect(tree.end(within: .seconds(10)) == [])
      #expect(stage.end().status == .signalled(SIGKILL, coreDumped: false))
      #expect(tree.members() == [])
      let theirs = ProcessTree(root: bystander.processID, mark: "MARK=2")
      #expect(Self.names(theirs.members()) == ["sh", "sleep", "sleep"])
      for entry in theirs.members() { #expect(!statusLine("State", of: "\(entry.pid)").contains("T"), "\(entry)") }
      #expect(theirs.end(within: .seconds(10)) == [])
      #expect(other.end().status == .signalled(SIGKILL, coreDumped: false))
      #expect(eventually { reaping.isAlone })
    }
  }

  @Test("nobody is touched that is not below us, nor anybody when the program is gone")
  func strangers() throws {
    let stage = try ChildTests.Stage()
    let child = try Self.start("exit 0", on: stage)
    let tree = ProcessTree(root: child.processID)
    _ = stage.end()
    #expect(eventually { ProcessEntry(pid: child.processID) == nil })
    #expect(tree.end(within: .seconds(5)) == [])
    for pid in [1, getppid(), getpid()] {
      #expect(ProcessTree(root: pid).members().allSatisfy { $0.parent != getppid() })
    }
    #expect(ProcessTree(root: 1).members() == [])
  }

  @Test("a bomb of processes that leave their group, outlive their parents and fork without pause loses")
  func bomb() async {
    await #expect(processExitsWith: .success) {
      let (reaping, stage) = (try ChildReaperTests.Reaping(), try ChildTests.Stage())
      // Bounded: each fork needs a token of forty, which an exit gives back; and by a minute. Who finds none left ends a
      // moment later: long enough to be seen once.
      let script = """
        use POSIX; use IO::Handle; $SIG{CHLD} = 'IGNORE';
        pipe(R, W); R->blocking(0); syswrite(W, 'x' x 40);
        my ($end, $isMortal) = (time + 60, 0);
        while (time < $end) {
          POSIX::setsid();
          if (sysread(R, my $token, 1)) { my $pid = fork; $isMortal = 1 if defined $pid && !$pid }
          elsif ($isMortal) { select(undef, undef, undef, 0.05); syswrite(W, 'x'); POSIX::_exit(0) }
          else { select(undef, undef, undef, 0.005) }
        }
        """
      let child = try stage.start(
        SpawnRequest(
          executable: "/usr/bin/perl", arguments: ["perl", "-e", script], environment: [], output: .null)
      )
      let tree = ProcessTree(root: child.processID, includesOrphans: true)
      #expect(eventually { reaping.log.count > 200 && !tree.members().isEmpty })
      #expect(tree.end(within: .seconds(30)).map(\.pid) == [])
      #expect(stage.end().status == .signalled(SIGKILL, coreDumped: false))
      #expect(Descendants.of(getpid()) == [])
      let ours = getpid()
      #expect(eventually { !ProcessTable.now().entries.values.contains { $0.parent == ours } })
      #expect(reaping.isAlone)
    }
  }
}
