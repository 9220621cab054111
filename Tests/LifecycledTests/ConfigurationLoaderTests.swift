import Testing

@testable import lifecycled

@Suite("Configuration folders", .timeLimit(.minutes(5)))
struct ConfigurationLoaderTests {
  private static let hook = "[Hook]\nOn=start\nExec=/bin/true\n"
  private let etc = "/etc/lifecycled"
  private let run = "/run/lifecycled"
  private let local = "/usr/local/lib/lifecycled"
  private let usr = "/usr/lib/lifecycled"

  private func programs(_ configuration: Configuration) -> [String] {
    configuration.hooks.flatMap { hook in hook.commands.map { "\(hook.name):\($0.program)" } }
  }

  private func text(_ program: String) -> String { "[Hook]\nOn=start\nExec=\(program)\n" }

  @Test("No folder at all is a sound configuration with the defaults")
  func nothing() {
    let configuration = MemoryFolders([:]).load()
    #expect(configuration.isUsable)
    #expect(configuration.hooks.isEmpty)
    #expect(configuration.settings == LifecycledSettings())
    #expect(configuration.exitCode == .success)
  }

  @Test("A hook on a signal that has another meaning never runs, which check says, unless Signal= makes it an event")
  func signals() {
    var files = ["\(etc)/a.hook": "[Hook]\nOn=signal:HUP signal:USR1 signal:RTMIN+5\nExec=/bin/true\n"]
    #expect(
      MemoryFolders(files).load().findings.all.map(\.description) == [
        "\(etc)/a.hook: warning: this hook never runs on signal:HUP: that signal reloads "
          + "(Signal=HUP:event in lifecycled.conf makes it an event)",
        "\(etc)/a.hook: warning: this hook never runs on signal:USR1: that signal pauses the service "
          + "(Signal=USR1:event in lifecycled.conf makes it an event)",
      ])
    files["\(etc)/lifecycled.conf"] = "[Lifecycle]\nSignal=HUP:event USR1:event\n"
    #expect(MemoryFolders(files).load().findings.all == [])
  }

  @Test("The same name in an upper folder masks the lower one, in the order etc, run, local, usr")
  func masking() {
    let all = [etc, run, local, usr]
    for first in all.indices {
      let files = Dictionary(uniqueKeysWithValues: all[first...].map { ("\($0)/a.hook", text($0)) })
      #expect(programs(MemoryFolders(files).load()) == ["a.hook:\(all[first])"])
    }
  }

  @Test("Hooks of all folders stand in the order of their file names, byte by byte")
  func fileNames() {
    let configuration = MemoryFolders([
      "\(usr)/20-b.hook": Self.hook, "\(etc)/10-a.hook": Self.hook, "\(run)/a.hook": Self.hook,
      "\(run)/a-b.hook": Self.hook,
      "\(usr)/B.hook": Self.hook, "\(usr)/é.hook": Self.hook, "\(usr)/README": "x", "\(usr)/.a.hook.swp": "x",
      "\(usr)/.b.hook": "x", "\(usr)/a.hook~": "x",
    ]).load()
    #expect(configuration.findings.all.isEmpty)
    #expect(configuration.hooks.map(\.name) == ["10-a.hook", "20-b.hook", "B.hook", "a-b.hook", "a.hook", "é.hook"])
  }

  @Test("Stop and background run in reverse order, the others in order")
  func reverseOrder() {
    let both = "[Hook]\nOn=start stop background\nExec=/bin/true\n"
    let configuration = MemoryFolders(["\(etc)/a.hook": both, "\(etc)/b.hook": both]).load()
    #expect(configuration.hooks(on: .start, reason: .start).map(\.name) == ["a.hook", "b.hook"])
    #expect(configuration.hooks(on: .stop, reason: .stop).map(\.name) == ["b.hook", "a.hook"])
    #expect(configuration.hooks(on: .background, reason: .stop).map(\.name) == ["b.hook", "a.hook"])
  }

  @Test(
    "A link to /dev/null and an empty file mask a name wholly, with its drop-ins", arguments: [nil, []] as [[UInt8]?])
  func maskedWholly(bytes: [UInt8]?) {
    // The null device can be written by everybody.
    let mask = MemoryFolders.Node(
      bytes: bytes, ownership: .init(user: 0, mode: bytes == nil ? 0o666 : 0o644), folder: "/dev")
    let configuration = MemoryFolders(
      [
        "\(usr)/a.hook": Self.hook, "\(usr)/a.hook.d/x.conf": "[Nonsense", "\(usr)/b.process": "x",
        "\(usr)/lifecycled.conf": "[Lifecycle]\nLogLevel=debug\n", "\(usr)/c.hook": Self.hook,
        "\(usr)/lifecycled.conf.d/x.conf": "[Lifecycle]\nLogLevel=err\n",
      ],
      nodes: ["\(etc)/a.hook": mask, "\(etc)/b.process": mask, "\(etc)/lifecycled.conf": mask]
    ).load()
    #expect(configuration.findings.all.isEmpty)
    #expect(configuration.hooks.map(\.name) == ["c.hook"])
    #expect(configuration.settings == LifecycledSettings())
  }

  @Test("E07: drop-ins of all folders are merged in the order of their names, and an empty Exec= resets the list")
  func dropIns() {
    let configuration = MemoryFolders(
      [
        "\(usr)/a.hook": text("/bin/main"),
        "\(usr)/a.hook.d/20-b.conf": "[Hook]\nExec=/bin/20-usr\n",
        "\(usr)/a.hook.d/10-a.conf": "[Hook]\nExec=\nExec=/bin/10\n",
        "\(etc)/a.hook.d/20-b.conf": "[Hook]\nExec=/bin/20-etc\n",
        "\(run)/a.hook.d/30.conf": "[Hook]\nExec=/bin/30\nTimeoutSec=5\n",
        "\(run)/a.hook.d/notes.txt": "x",
        "\(usr)/a.hook.d/40.conf": "[Hook]\nExec=/bin/40\n",
      ],
      nodes: ["\(etc)/a.hook.d/40.conf": .init(bytes: nil)]
    ).load()
    #expect(configuration.findings.all.isEmpty)
    #expect(programs(configuration) == ["a.hook:/bin/10", "a.hook:/bin/20-etc", "a.hook:/bin/30"])
    #expect(configuration.hooks[0].timeout == .seconds(5))
    #expect(
      configuration.hooks[0].files == [
        "\(usr)/a.hook", "\(usr)/a.hook.d/10-a.conf", "\(etc)/a.hook.d/20-b.conf", "\(run)/a.hook.d/30.conf",
      ])
  }

  @Test("lifecycled.conf need not exist to have drop-ins; a drop-in for nothing is a warning")
  func dropInsWithoutMain() {
    let configuration = MemoryFolders([
      "\(etc)/lifecycled.conf.d/a.conf": "[Lifecycle]\nLogLevel=err\n", "\(etc)/gone.hook.d/x.conf": "[Hook]\nUser=a\n",
    ]).load()
    #expect(configuration.settings.logLevel == .error)
    #expect(configuration.isUsable)
    #expect(
      configuration.findings.all.map(\.description) == [
        "/etc/lifecycled/gone.hook.d/x.conf: warning: there is no gone.hook that this could add to"
      ])
  }

  @Test("E09: of three hooks two are faulty, every fault of both is named, and nothing is usable")
  func everyFault() {
    let configuration = MemoryFolders([
      "\(etc)/a.hook": "On=start\nExec=/bin/a\n", "\(etc)/b.hook": Self.hook,
      "\(etc)/c.hook": "[Hook]\nOn=strat\nExec=/bin/c 'x\nTimeoutSec=0\n",
    ]).load()
    #expect(!configuration.isUsable)
    #expect(configuration.exitCode == .configuration)
    #expect(configuration.faults.filter { $0.file.hasSuffix("a.hook") }.map(\.line) == [1, 2, nil, nil])
    #expect(configuration.faults.filter { $0.file.hasSuffix("c.hook") }.map(\.line) == [2, 3, 4])
    #expect(configuration.faults.filter { $0.file.hasSuffix("b.hook") }.isEmpty)
  }

  @Test("A02: a fault names file and line, also in a drop-in, and exits with 78")
  func faultInDropIn() {
    let configuration = MemoryFolders([
      "\(usr)/a.hook": Self.hook, "\(etc)/a.hook.d/x.conf": "# c\n[Hook]\nTimeoutSec=-1\n",
    ]).load()
    #expect(configuration.exitCode.rawValue == 78)
    #expect(
      configuration.faults.map(\.description) == [
        "/etc/lifecycled/a.hook.d/x.conf:3: TimeoutSec=: '-1' is negative (write a time such as 30s)"
      ])
  }

  @Test("--config reads its folder alone; missing or unreadable it exits with 66, with a fault inside 78")
  func ownFolder() {
    let folders = MemoryFolders(
      ["/c/a.hook": Self.hook, "\(etc)/b.hook": Self.hook, "/bad/a.hook": "x", "/file": "x"],
      folderProblems: ["/denied": .failed("Permission denied")])
    #expect(folders.load(.only("/c")).hooks.map(\.name) == ["a.hook"])
    #expect(folders.load(.only("/missing")).exitCode == .noInput)
    #expect(folders.load(.only("/denied")).exitCode == .noInput)
    #expect(folders.load(.only("/file")).exitCode == .noInput)
    #expect(folders.load(.only("/bad")).exitCode == .configuration)
    #expect(folders.load(.only("/missing")).faults.map(\.description) == ["/missing: this folder does not exist"])
  }

  @Test("A default folder that is there but cannot be read is a fault")
  func unreadableDefault() {
    let configuration = MemoryFolders([:], folderProblems: [run: .failed("Permission denied")]).load()
    #expect(configuration.exitCode == .configuration)
    #expect(configuration.faults.map(\.description) == ["/run/lifecycled: cannot be read: Permission denied"])
  }

  @Test("Hooks and programs stand in one order, and drop-ins add to programs too")
  func programsAndHooks() {
    let configuration = MemoryFolders([
      "\(etc)/20-web.hook": Self.hook, "\(usr)/10-db.process": "[Process]\nExec=/bin/db\n",
      "\(etc)/10-db.process.d/x.conf": "[Process]\nAfter=20-web\nReady=notify\n",
      "\(etc)/30-app.process": "[Process]\nExec=/bin/app %n\n",
    ]).load()
    #expect(configuration.findings.all.isEmpty)
    #expect(configuration.units.map(\.name) == ["20-web.hook", "10-db.process", "30-app.process"])
    #expect(configuration.hooks.map(\.name) == ["20-web.hook"])
    #expect(configuration.programs.map(\.name) == ["10-db.process", "30-app.process"])
    #expect(configuration.programs[0].files == ["\(usr)/10-db.process", "\(etc)/10-db.process.d/x.conf"])
    #expect(configuration.programs[0].readiness == .notify)
    #expect(configuration.programs[0].after == ["20-web"])
    #expect(configuration.programs[1].command.arguments == ["30-app.process"])
    #expect(configuration.predecessors == ["10-db.process": ["20-web.hook"]])
    #expect(configuration.units.map { $0.hook == nil } == [false, true, true])
  }

  @Test("A circle of After= makes the configuration unusable; a file with faults is still there to go after")
  func order() {
    let circle = MemoryFolders([
      "\(etc)/a.process": "[Process]\nExec=/bin/a\nAfter=b\n", "\(etc)/b.hook": Self.hook + "After=a.process\n",
    ]).load()
    #expect(
      circle.faults.map(\.description) == [
        "/etc/lifecycled/a.process:3: After=: this goes in a circle: a.process after b.hook after a.process "
          + "(/etc/lifecycled/b.hook:4) (remove one of these names)"
      ])
    #expect(circle.exitCode == .configuration)
    let faulty = MemoryFolders(
      ["\(etc)/a.process": "[Process]\nExec=/bin/a\nAfter=b c\n", "\(etc)/b.hook": "[Hook]\n"],
      nodes: ["\(etc)/c.process": .init(problem: .brokenLink)]
    ).load()
    #expect(faulty.warnings.isEmpty)
    #expect(faulty.faults.map(\.file) == ["\(etc)/b.hook", "\(etc)/b.hook", "\(etc)/c.process"])
  }

  @Test("What goes after a masked unit is told")
  func afterMasked() {
    let configuration = MemoryFolders(
      ["\(usr)/b.process": "x", "\(etc)/a.hook": Self.hook + "After=b.process\n"],
      nodes: ["\(etc)/b.process": .init(bytes: nil)]
    ).load()
    #expect(configuration.units.map(\.name) == ["a.hook"])
    #expect(
      configuration.findings.all.map(\.description) == [
        "/etc/lifecycled/a.hook:4: warning: After=: there is no hook or program 'b.process' (remove it, or correct the name)"
      ])
  }

  @Test("A broken link, a pipe and a folder with the name of a hook are one fault each, not also a hook without keys")
  func unreadableFiles() {
    let configuration = MemoryFolders(
      ["\(etc)/d.hook/x": "x", "\(etc)/e.hook.d": "x"],
      nodes: [
        "\(etc)/a.hook": .init(problem: .brokenLink), "\(etc)/b.hook": .init(problem: .notAFile),
        "\(etc)/c.hook": .init(problem: .tooLarge),
      ]
    ).load()
    #expect(
      configuration.faults.map(\.description) == [
        "/etc/lifecycled/e.hook.d: this is not a folder",
        "/etc/lifecycled/a.hook: this link leads nowhere",
        "/etc/lifecycled/b.hook: this is neither a regular file nor a link to /dev/null",
        "/etc/lifecycled/c.hook: this file is too large (at most 1048576 bytes are read)",
        "/etc/lifecycled/d.hook: this is a folder, not a file",
      ])
  }

  @Test("A name with control characters or invalid UTF-8 is a fault and harmless in the message")
  func oddNames() {
    let odd = [Array("a\u{1B}[2J.hook".utf8), [0xFF] + Array(".hook".utf8), [0xFF, 0x41]]
    let configuration = MemoryFolders(["\(etc)/b.hook": Self.hook], extraNames: [etc: odd]).load()
    #expect(configuration.faults.count == 2)
    #expect(configuration.faults[0].description.hasPrefix("/etc/lifecycled/a\\x1b[2J.hook: "))
    #expect(configuration.faults[1].description.hasPrefix("/etc/lifecycled/\\xff.hook: "))
  }

  @Test("More files than the limit are one clear fault")
  func tooManyFiles() {
    let files = Dictionary(uniqueKeysWithValues: (0..<12).map { ("\(etc)/\($0).hook", Self.hook) })
    let configuration = MemoryFolders(files).load(limits: .init(fileCount: 10))
    #expect(configuration.faults.map(\.what) == ["there are more than 10 configuration files"])
  }

  @Test("No folder is listed twice and no file is read twice")
  func readOnce() {
    let folders = MemoryFolders([
      "\(etc)/a.hook": Self.hook, "\(usr)/a.hook": Self.hook, "\(usr)/b.hook": Self.hook,
      "\(etc)/b.hook.d/x.conf": "[Hook]\n",
      "\(usr)/lifecycled.conf": "[Lifecycle]\n",
    ])
    #expect(folders.load().findings.all.isEmpty)
    let accesses = folders.counts
    #expect(accesses.values.allSatisfy { $0 == 1 })
    #expect(accesses["\(usr)/a.hook"] == nil)
    #expect(accesses["\(etc)/b.hook.d"] == 1)
  }

  @Test(
    "F20: root refuses a file, drop-in or folder that others own or can write, and names it",
    arguments: [
      (FileOwnership(user: 1000, mode: 0o644), "is owned by user 1000, not by root", "chown root:root"),
      (FileOwnership(user: 0, mode: 0o664), "can be written by its group", "chmod go-w"),
      (FileOwnership(user: 0, mode: 0o646), "can be written by everybody", "chmod go-w"),
      (FileOwnership(user: 0, mode: 0o666), "can be written by its group and everybody", "chmod go-w"),
    ])
  func refusedOwners(ownership: FileOwnership, what: String, advice: String) {
    let bytes = Array(Self.hook.utf8)
    let file = MemoryFolders([:], nodes: ["\(etc)/a.hook": .init(bytes: bytes, ownership: ownership)])
    expect(file, "\(etc)/a.hook: refused: this file \(what) (check it, then: \(advice) \(etc)/a.hook)")
    let dropIn = MemoryFolders(
      ["\(etc)/a.hook": Self.hook],
      nodes: ["\(etc)/a.hook.d/x.conf": .init(bytes: Array("[Hook]\n".utf8), ownership: ownership)])
    expect(
      dropIn, "\(etc)/a.hook.d/x.conf: refused: this file \(what) (check it, then: \(advice) \(etc)/a.hook.d/x.conf)")
    let folder = MemoryFolders(["\(etc)/a.hook": Self.hook], folders: [etc: ownership])
    expect(folder, "\(etc): refused: this folder \(what) (check it, then: \(advice) \(etc))")
    let dropInFolder = MemoryFolders(
      ["\(etc)/a.hook": Self.hook, "\(etc)/a.hook.d/x.conf": "[Hook]\n"], folders: ["\(etc)/a.hook.d": ownership])
    expect(dropInFolder, "\(etc)/a.hook.d: refused: this folder \(what) (check it, then: \(advice) \(etc)/a.hook.d)")
    let target = MemoryFolders(
      [:], nodes: ["\(etc)/a.hook": .init(bytes: bytes, folder: "/srv")], folders: ["/srv": ownership])
    expect(target, "\(etc)/a.hook: refused: its folder /srv \(what) (check it, then: \(advice) /srv)")
  }

  private func expect(_ folders: MemoryFolders, _ fault: String) {
    #expect(folders.load(asRoot: true).faults.map(\.description) == [fault])
    #expect(folders.load(asRoot: true).exitCode == .configuration)
    #expect(folders.load(asRoot: false).faults.isEmpty)
  }

  @Test("A parent folder's owner does not matter, only that of the folder itself")
  func parentsDoNotMatter() {
    let folders = MemoryFolders(
      ["\(etc)/a.hook": Self.hook], folders: ["/etc": FileOwnership(user: 1000, mode: 0o777)])
    #expect(folders.load().isUsable)
  }

  @Test("A reload can tell which units are new, gone, changed or as they were; where they were written does not matter")
  func difference() {
    let program = "[Process]\nExec=/bin/a\n"
    let old = MemoryFolders([
      "\(etc)/a.hook": Self.hook, "\(etc)/b.hook": Self.hook, "\(etc)/c.hook": Self.hook, "\(etc)/d.hook": Self.hook,
      "\(etc)/p.process": program, "\(etc)/q.process": program, "\(etc)/r.process": program,
    ]).load()
    let new = MemoryFolders([
      "\(usr)/a.hook": "# moved\n\n" + Self.hook, "\(etc)/b.hook": Self.hook,
      "\(etc)/b.hook.d/x.conf": "[Hook]\nEnvironment=A=1\n", "\(etc)/d.hook": Self.hook + "TimeoutSec=30s\n",
      "\(etc)/e.hook": Self.hook, "\(etc)/lifecycled.conf": "[Lifecycle]\nLogLevel=debug\n",
      "\(run)/p.process": program, "\(etc)/q.process": program + "Ready=notify\n", "\(etc)/s.process": program,
    ]).load()
    let difference = new.difference(from: old)
    #expect(difference.added == ["e.hook", "s.process"])
    #expect(difference.removed == ["c.hook", "r.process"])
    #expect(difference.changed == ["b.hook", "q.process"])
    #expect(difference.unchanged == ["a.hook", "d.hook", "p.process"])
    #expect(difference.settingsChanged)
    #expect(!difference.isEmpty)
    #expect(old.difference(from: old).isEmpty)
  }
}
