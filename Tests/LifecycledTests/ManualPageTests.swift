import Foundation
import Mediator
import MediatorBridge
import Testing

@testable import lifecycled

/// The manual pages say what the program's own tables say, no less and no more.
@Suite("Manual pages", .timeLimit(.minutes(5)))
struct ManualPageTests {
  /// A kind of file: its page, its keys, and the least of such a file in which all its keys mean something.
  struct Kind: CustomTestStringConvertible, Sendable {
    var page: String
    var file: String
    var schema: UnitSchema
    var text: String
    /// Those of which the page says that there is no default.
    var plain: Set<String>
    var testDescription: String { page }
  }

  private static let context: Set<String> = ["User", "Group", "WorkingDirectory", "Environment", "EnvironmentFile"]
  static let kinds = [
    Kind(
      page: "lifecycled.conf.5", file: "lifecycled.conf", schema: .settings, text: "[Lifecycle]\n", plain: ["Signal"]),
    Kind(
      page: "lifecycled.hook.5", file: "10-a.hook", schema: .hook, text: "[Hook]\nOn=start health\nExec=/bin/a\n",
      plain: context.union(["On", "Exec", "Reason", "After"])),
    Kind(
      page: "lifecycled.process.5", file: "10-a.process", schema: .process,
      text: "[Process]\nExec=/bin/a\nReady=file:/a\nHealth=file:/a\nRestart=always\n",
      plain: context.union([
        "Exec", "Ready", "NotifyAccess", "Health", "ReloadSignal", "ReloadExec", "Reload", "StopExec", "After",
        "Sockets",
      ])),
  ]

  @Test("Every key has its entry, and every entry is a key", arguments: kinds)
  func keys(kind: Kind) throws {
    let entries = try ManualPage(kind.page).entries(in: "KEYS")
    #expect(entries.map(\.key).sorted() == kind.schema.keys.sorted())
  }

  @Test("What a page calls the default of a key changes nothing when it is written", arguments: kinds)
  func defaults(kind: Kind) throws {
    func load(_ line: String) -> Configuration {
      MemoryFolders(["/c/\(kind.file)": kind.text + line + "\n"]).load(.only("/c"))
    }
    // What the file says of Restart= itself is not its default.
    let base = load(kind.schema.keys.contains("Restart") ? "Restart=" : "")
    for entry in try ManualPage(kind.page).entries(in: "KEYS") {
      let value = try #require(entry.defaultValue, "\(entry.key)= has no \"Default: \"")
      #expect((value == "none") == kind.plain.contains(entry.key), "\(entry.key)=")
      if value == "none" { continue }
      let written = load(entry.key == "Restart" ? "Restart=\(value)" : "\(entry.key)=\(value)")
      #expect(written.faults.isEmpty, "\(entry.key)=\(value): \(written.faults)")
      let expected = entry.key == "Restart" ? base : load("")
      #expect(written.units == expected.units, "\(entry.key)=\(value)")
      #expect(written.settings == expected.settings, "\(entry.key)=\(value)")
    }
  }

  @Test("Every word that a key takes is named, and no other")
  func words() throws {
    func nested(_ page: ManualPage, _ key: String) -> [String] {
      var inside = false
      return page.entries.filter { $0.section == "KEYS" }.compactMap { entry in
        if entry.depth == 1 { inside = entry.key == key }
        return inside && entry.depth == 2 ? entry.head : nil
      }
    }
    func marked(_ page: ManualPage, _ key: String) throws -> Set<String> {
      try #require(page.entries(in: "KEYS").first { $0.key == key }).words.filter { !$0.hasSuffix("=") }
    }
    let settings = try ManualPage("lifecycled.conf.5")
    #expect(nested(settings, "Watchdog") == LifecycledSettings.Watchdog.allCases.map(\.rawValue))
    #expect(nested(settings, "ControlReaders") == LifecycledSettings.ControlReaders.allCases.map(\.rawValue))
    #expect(nested(settings, "Signal") == SignalRule.Action.allCases.map(\.rawValue))
    #expect(try marked(settings, "LogLevel") == Set(LogLevel.allCases.map(\.rawValue)))
    let hook = try ManualPage("lifecycled.hook.5")
    #expect(hook.entries(in: "EVENTS").map(\.head) == HookEvent.words)
    #expect(nested(hook, "Reason") == HookReason.allCases.map(\.rawValue))
    let process = try ManualPage("lifecycled.process.5")
    #expect(try marked(process, "NotifyAccess") == Set(ProgramDefinition.NotifyAccess.allCases.map(\.rawValue)))
    #expect(try marked(process, "Restart") == Set(ProgramDefinition.Restart.allCases.map(\.rawValue)))
    let forms = ProgramCheck.Kind.allCases.map(\.form)
    #expect(process.entries(in: "CHECKS").map(\.head) == forms)
    #expect(try ManualPage("lifecycled.8").entries(in: "Checks").map(\.head) == forms)
    let state = try #require(hook.entries(in: "ENVIRONMENT").first { $0.head == "LIFECYCLE_STATE" })
    #expect(state.words == Set(LifecycleState.allCases.map(\.rawValue)).subtracting(["notStarted", "stopped"]))
  }

  @Test("lifecycled(8) has every command and option of --help, and no other")
  func help() throws {
    let (page, help) = (try ManualPage("lifecycled.8"), HelpPage())
    let commands = page.entries.filter { $0.section.lowercased().hasPrefix("commands") }
      .map { String($0.head.prefix { $0 != " " }) }
    #expect(commands.sorted() == (["(none)"] + help.commands).sorted())
    let sections = Set(page.entries.map(\.section)).filter { $0.lowercased().hasPrefix("options") }
    var documented: Set<String> = []
    for section in sections {
      let options = page.entries(in: section).flatMap(\.names).map { String($0.prefix { $0 != "=" && $0 != " " }) }
      #expect(options.count == Set(options).count, "\(section)")
      documented.formUnion(options)
    }
    #expect(documented == help.options)
    let asking = page.entries(in: "Options of status and watch").map { String($0.head.prefix { $0 != "=" }) }
    #expect(asking.sorted() == ControlOption.allCases.map(\.rawValue).sorted())
    #expect(help.options.isSuperset(of: RunOption.allCases.map(\.rawValue)))
    #expect(help.commands.count >= 3)
  }

  @Test("What lifecycled(8) calls the default of an option changes nothing when it is written")
  func optionDefaults() throws {
    func parse(_ options: [String]) throws -> Invocation {
      try Invocation(parsing: ["run", "--ready=file:/a"] + options + ["--", "/bin/a"])
    }
    let plain: Set<RunOption> = [.ready, .health, .reloadSignal, .notifyAccess, .name]
    let entries = try ManualPage("lifecycled.8").entries(in: "Options of run and unit")
    for option in RunOption.allCases {
      let entry = try #require(entries.first { $0.head.hasPrefix(option.rawValue + "=") })
      let value = try #require(entry.defaultValue, "\(option.rawValue)")
      #expect((value == "none") == plain.contains(option), "\(option.rawValue)")
      if value != "none" { #expect(try parse(["\(option.rawValue)=\(value)"]) == parse([]), "\(option.rawValue)") }
    }
    let level = try #require(ManualPage("lifecycled.8").entries(in: "OPTIONS").first { $0.head == "--log-level LEVEL" })
    #expect(level.defaultValue == LifecycledSettings().logLevel.rawValue)
    #expect(level.words.isSuperset(of: LogLevel.allCases.map(\.rawValue)))
  }

  @Test("The table of signals is the one that is in force")
  func signals() throws {
    var documented: [String: String] = [:]
    for entry in try ManualPage("lifecycled.8").entries(in: "SIGNALS") {
      let meaning = (entry.text.first ?? "").lowercased().prefix { $0.isLetter }
      for name in entry.names { documented[name] = String(meaning) }
    }
    var expected: [String: String] = [:]
    for (number, action) in SignalMap(SignalMap.Situation()).actions {
      let name = "SIG" + SignalName.name(of: number.rawValue)
      expected[name] =
        switch action {
        case .reload: "reload"
        case .stop: "stop"
        case .pause: "pause"
        case .resume: "resume"
        case .ignore: "ignored"
        case .event, .default: "\(action)"
        }
    }
    #expect(documented == expected)
  }

  @Test("The exit statuses are the program's, in the page and in --help")
  func exitStatuses() throws {
    let heads = try ManualPage("lifecycled.8").entries(in: "EXIT STATUS").map(\.head)
    #expect(heads == ExitCode.allCases.map { "\($0.rawValue)" } + ["128+n"])
  }
}
