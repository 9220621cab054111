import Testing

@testable import lifecycled

@Suite("lifecycled check", .timeLimit(.minutes(5)))
struct CheckCommandTests {
  private let plain = CheckCommand.Style(isTable: false, hasColour: false)
  private let terminal = CheckCommand.Style(isTable: true, hasColour: true)
  private let sound = [
    "/c/20-b.hook": "[Hook]\nOn=stop\nExec=/bin/b\nRequired=no\nTimeoutSec=1min 30s\n",
    "/c/10-a.hook": "[Hook]\nOn=start stop\nExec=/bin/a\n", "/c/10-a.hook.d/x.conf": "[Hook]\nUser=a\n",
  ]

  private func report(_ files: [String: String], _ folder: String = "/c", style: CheckCommand.Style)
    -> CheckCommand.Report
  {
    CheckCommand.report(on: MemoryFolders(files).load(.only(folder)), output: style, errors: style)
  }

  @Test("In a pipe a sound configuration gives one plain line per hook, in order, and exit status 0")
  func pipe() {
    let report = report(sound, style: plain)
    #expect(
      report.output == [
        "10-a.hook\tstart,stop\t30s\trequired\t/c/10-a.hook /c/10-a.hook.d/x.conf",
        "20-b.hook\tstop\t1min 30s\toptional\t/c/20-b.hook", "The configuration is in order: 2 hooks.",
      ])
    #expect(report.errors.isEmpty)
    #expect(report.exitCode == .success)
  }

  @Test("On a terminal it gives an aligned table with a header, and colour")
  func table() {
    let report = report(sound, style: terminal)
    #expect(
      report.output == [
        "NAME       ON, READY   TIMEOUT   FAILURE   FILES",
        "10-a.hook  start,stop  30s       required  /c/10-a.hook /c/10-a.hook.d/x.conf",
        "20-b.hook  stop        1min 30s  optional  /c/20-b.hook",
        "\u{1B}[32mThe configuration is in order: 2 hooks.\u{1B}[0m",
      ])
  }

  private let mixed = [
    "/c/10-a.hook": "[Hook]\nOn=start\nExec=/bin/a\nAfter=20-b\n",
    "/c/20-b.process": "[Process]\nExec=/bin/b\nReady=exec /bin/c 'x y'\nRequired=no\n",
    "/c/30-c.process": "[Process]\nExec=/bin/c\n",
  ]

  @Test("Programs stand with the hooks, in their order, with what makes them ready")
  func programs() {
    #expect(
      report(mixed, style: plain).output == [
        "20-b.process\texec /bin/c \"x y\"\t1min\toptional\t/c/20-b.process",
        "10-a.hook\tstart\t30s\trequired\t/c/10-a.hook", "30-c.process\t-\t-\trequired\t/c/30-c.process",
        "The configuration is in order: 1 hook, 2 programs.",
      ])
    #expect(
      report(mixed, style: .init(isTable: true, hasColour: false)).output == [
        "NAME          ON, READY          TIMEOUT  FAILURE   FILES",
        "20-b.process  exec /bin/c \"x y\"  1min     optional  /c/20-b.process",
        "10-a.hook     start              30s      required  /c/10-a.hook",
        "30-c.process  -                  -        required  /c/30-c.process",
        "The configuration is in order: 1 hook, 2 programs.",
      ])
  }

  @Test("E09: every fault of every file is a line on standard error, with a summary, and exit status 78")
  func faults() {
    let report = report(
      sound.merging(["/c/bad.hook": "On=start\n", "/c/lifecycled.conf": "[Lifecycle]\nSignal=KILL:stop\nFoo=1\n"]) {
        $1
      },
      style: plain)
    #expect(report.output.isEmpty)
    #expect(
      report.errors == [
        "/c/lifecycled.conf:2: Signal=: KILL cannot be given an action: the kernel delivers it to nobody",
        "/c/lifecycled.conf:3: warning: unknown key Foo=",
        "/c/bad.hook:1: On= stands outside any section (begin the file with a section header such as [Hook])",
        "/c/bad.hook: this hook has no On= (say when it runs: start, foreground, background, prepare-reload, reload, revert-reload, stop, health, memory-pressure, time-change, credentials, sleep, wake, signal:NAME)",
        "/c/bad.hook: this hook has no Exec= (say what it runs)",
        "The configuration cannot be used: 4 faults in 2 places, 1 warning.",
      ])
    #expect(report.exitCode == .configuration)
  }

  @Test("A folder that is missing gives 66, of an empty one it is said that nothing is there")
  func folders() {
    #expect(report([:], style: plain).exitCode == .noInput)
    let empty = CheckCommand.report(on: MemoryFolders([:]).load(), output: plain, errors: plain)
    #expect(
      empty.output == [
        "Nothing is wrong, and nothing is there: no hook and no program in /etc/lifecycled, /run/lifecycled, "
          + "/usr/local/lib/lifecycled, /usr/lib/lifecycled."
      ])
  }

  @Test("Warnings alone are told and do not fail the check")
  func warnings() {
    let report = report(["/c/a.hook": "[Hook]\nOn=start\nExec=/bin/a\nFoo=1\n"], style: plain)
    #expect(report.errors == ["/c/a.hook:4: warning: unknown key Foo="])
    #expect(report.output.last == "The configuration is in order: 1 hook, 1 warning.")
    #expect(report.exitCode == .success)
  }
}
