/// Makes a program of a `.process` file that is already merged with its drop-ins.
struct ProcessReader {
  var program: ProgramDefinition
  var values: EntryReader
  /// Where each key stands last, unless it was taken back.
  private(set) var places: [String: UnitFile.Entry] = [:]
  /// In the order in which they stand.
  private var keys: [String] = []
  private var after: [UnitOrder.Wish] = []
  private var reloadSignal: Int32?
  private var reloadCommands: [HookCommand] = []

  /// The program, what it goes after, and what is wrong with it; with any fault the program is not to be used.
  static func read(_ unit: UnitFile, file: String, specifiers: Specifiers)
    -> (program: ProgramDefinition, after: [UnitOrder.Wish], findings: Findings)
  {
    var reader = ProcessReader(specifiers: specifiers)
    for entry in UnitSchema.process.accepted(in: unit, findings: &reader.values.findings) { reader.take(entry) }
    reader.program.after = reader.after.map(\.name)
    reader.settleReload()
    reader.checkWhole(file)
    return (reader.program, reader.after, reader.values.findings)
  }

  private init(specifiers: Specifiers) {
    values = EntryReader(specifiers: specifiers)
    program = Self.defaults(specifiers.name)
  }

  /// A program with no `Exec=` yet.
  private static func defaults(_ name: String) -> ProgramDefinition {
    ProgramDefinition(name: name, command: HookCommand(program: ""))
  }

  private mutating func take(_ entry: UnitFile.Entry) {
    do throws(ValueParser.Problem) {
      try takeValue(entry)
    } catch {
      values.fault(entry, error)
    }
    places[entry.key] = entry.value.isEmpty ? nil : entry
    keys.removeAll { $0 == entry.key }
    keys.append(entry.key)
  }

  private mutating func takeValue(_ entry: UnitFile.Entry) throws(ValueParser.Problem) {
    // As in systemd, an empty value takes back what stood before.
    let value = entry.value.isEmpty ? nil : entry.value
    let defaults = Self.defaults(program.name)
    switch entry.key {
    case "Exec": takeCommand(entry)
    case "Ready": program.readiness = try check(entry, for: .readiness)
    case "ReadyTimeoutSec": program.readyTimeout = try value.map(ValueParser.timeout) ?? defaults.readyTimeout
    case "NotifyAccess": program.notifyAccess = try value.map(Self.access)
    case "Health": program.health = try check(entry, for: .health)
    case "HealthIntervalSec": program.healthInterval = try value.map(ValueParser.interval) ?? defaults.healthInterval
    case "HealthThreshold": program.healthThreshold = try value.map(Self.count) ?? defaults.healthThreshold
    case "ReloadSignal": reloadSignal = try value.map(SignalName.reload)
    case "ReloadExec": if value == nil { reloadCommands = [] } else { reloadCommands += values.commands(entry) }
    case "Reload": program.reload = try value.map(Self.reload) ?? .nothing
    case "StopSignal": program.stopSignal = try value.map(SignalName.stop) ?? defaults.stopSignal
    case "StopExec":
      if value == nil { program.stopCommands = [] } else { program.stopCommands += values.commands(entry) }
    case "TimeoutStopSec": program.stopTimeout = try value.map(ValueParser.timeout) ?? defaults.stopTimeout
    case "Required": program.isRequired = try value.map(ValueParser.boolean) ?? defaults.isRequired
    case "After": values.takeAfter(entry, into: &after)
    case "Sockets": takeSockets(entry)
    case "Restart", "RestartSec", "RestartMaxDelaySec", "StartLimitBurst", "StartLimitIntervalSec":
      try takeRestart(entry.key, value, defaults)
    default: try values.take(entry, into: &program)
    }
  }

  private mutating func takeRestart(_ key: String, _ value: String?, _ defaults: ProgramDefinition)
    throws(ValueParser.Problem)
  {
    switch key {
    case "Restart": program.restart = try value.map(Self.restart) ?? defaults.restart
    case "RestartSec": program.restartDelay = try value.map(ValueParser.delay) ?? defaults.restartDelay
    case "RestartMaxDelaySec":
      program.longestRestartDelay = try value.map(ValueParser.delay) ?? defaults.longestRestartDelay
    case "StartLimitBurst": program.startLimit = try value.map(Self.count) ?? defaults.startLimit
    case "StartLimitIntervalSec":
      program.startLimitInterval = try value.map(ValueParser.span) ?? defaults.startLimitInterval
    default: break
    }
  }

  private mutating func takeCommand(_ entry: UnitFile.Entry) {
    if entry.value.isEmpty {
      program.command = Self.defaults(program.name).command
      return
    }
    if let first = places["Exec"] {
      values.fault(
        entry, "a program has one command, and it stands \(entry.distance(from: first)) already",
        advice: "write an empty Exec= before this one to replace it, or a file for each program")
      return
    }
    let commands = values.commands(entry)
    if commands.count > 1 {
      values.fault(
        entry, "a program has one command, not \(commands.count)",
        advice: #"write a file for each program, or \; where the ; is an argument"#)
    }
    guard let command = commands.first else { return }
    if command.ignoresFailure {
      values.fault(
        entry, "a program has no failure that - could ignore",
        advice: "remove the -, and say with Restart= and Required= what a failure means")
    }
    program.command = command
  }

  private mutating func takeSockets(_ entry: UnitFile.Entry) {
    if entry.value.isEmpty { program.sockets = [] }
    for word in EntryReader.words(entry.value) {
      let name = values.expand(word, entry)
      // What sd_listen_fds_with_names(3) can name.
      let isName =
        (1...255).contains(name.utf8.count)
        && name.utf8.allSatisfy { (0x21...0x7E).contains($0) && $0 != UInt8(ascii: ":") }
      if !isName {
        values.fault(
          entry, "\(name.quoted) cannot be the name of a socket", advice: "write what FileDescriptorName= calls it")
      } else if !program.sockets.contains(name) {
        program.sockets.append(name)
      }
    }
  }
}

// MARK: Single values

extension ProcessReader {
  private mutating func check(_ entry: UnitFile.Entry, for purpose: ProgramCheck.Purpose) throws(ValueParser.Problem)
    -> ProgramCheck?
  {
    if entry.value.isEmpty { return nil }
    guard let text = ProgramCheck.commandText(in: entry.value) else {
      return try ProgramCheck(parsing: values.expand(entry.value, entry), for: purpose)
    }
    let commands = values.commands(in: text, entry)
    if commands.count > 1 {
      throw ValueParser.Problem(
        what: "a check has one command, not \(commands.count)", advice: #"write \; where the ; is an argument"#)
    }
    if commands.first?.ignoresFailure == true {
      throw ValueParser.Problem(what: "a check whose failure is ignored says nothing", advice: "remove the -")
    }
    return commands.first.map(ProgramCheck.exec)
  }

  private static func access(_ text: String) throws(ValueParser.Problem) -> ProgramDefinition.NotifyAccess {
    try ValueParser.word(text, ProgramDefinition.NotifyAccess.self, noun: "an access")
  }

  private static func restart(_ text: String) throws(ValueParser.Problem) -> ProgramDefinition.Restart {
    if ["on-abort", "on-watchdog"].contains(text) {
      let ours = ProgramDefinition.Restart.allCases.map(\.rawValue).joined(separator: ", ")
      throw .init(what: "lifecycled does not have \(text.quoted) of systemd", advice: "it is one of \(ours)")
    }
    return try ValueParser.word(text, ProgramDefinition.Restart.self, noun: "a kind of restart")
  }

  private static func reload(_ text: String) throws(ValueParser.Problem) -> ProgramDefinition.Reload {
    guard text == "overlap" else {
      throw .init(
        what: "\(text.quoted) is not a kind of reload",
        advice: "write overlap, or ReloadSignal= or ReloadExec= instead of this line")
    }
    return .overlap
  }

  private static func count(_ text: String) throws(ValueParser.Problem) -> Int {
    try ValueParser.number(text, in: 1...1_000_000)
  }
}

// MARK: All of it

extension ProcessReader {
  /// Of the three ways to reload there can be one.
  private mutating func settleReload() {
    let lines = keys.filter { ["ReloadSignal", "ReloadExec", "Reload"].contains($0) }.compactMap { places[$0] }
    for other in lines.dropFirst() {
      values.fault(
        other, "\(lines[0].key)= stands \(other.distance(from: lines[0])) already, and a program reloads in one way",
        advice: "remove one of the two")
    }
    if let reloadSignal { program.reload = .signal(reloadSignal) }
    if !reloadCommands.isEmpty { program.reload = .commands(reloadCommands) }
  }
}

extension UnitFile.Entry {
  /// "on line 3", or with the file where it is another one.
  func distance(from other: UnitFile.Entry) -> String {
    other.file == file ? "on line \(other.line)" : "in \(other.file):\(other.line)"
  }
}
