/// Makes a hook of a `.hook` file that is already merged with its drop-ins.
struct HookReader {
  private var hook: HookDefinition
  private let specifiers: Specifiers
  private var findings = Findings()
  /// Keys that had a fault, so that "there is no Exec=" is not said on top of "this Exec= is wrong".
  private var faulty: Set<String> = []
  /// Where `IntervalSec=` stands last.
  private var interval: UnitFile.Entry?

  /// The hook, and what is wrong with it; with any fault the hook is not to be used.
  static func read(_ unit: UnitFile, file: String, specifiers: Specifiers) -> (hook: HookDefinition, findings: Findings)
  {
    var reader = HookReader(specifiers: specifiers)
    for entry in UnitSchema.hook.accepted(in: unit, findings: &reader.findings) { reader.take(entry) }
    reader.checkWhole(file)
    return (reader.hook, reader.findings)
  }

  private init(specifiers: Specifiers) {
    self.specifiers = specifiers
    hook = HookDefinition(name: specifiers.name)
  }

  private mutating func take(_ entry: UnitFile.Entry) {
    let defaults = HookDefinition(name: hook.name)
    do throws(ValueParser.Problem) {
      switch entry.key {
      case "On": try takeEvents(entry)
      case "Reason": try takeReasons(entry)
      case "Exec": takeCommands(entry)
      case "TimeoutSec": hook.timeout = entry.value.isEmpty ? defaults.timeout : try ValueParser.timeout(entry.value)
      case "IntervalSec":
        interval = entry.value.isEmpty ? nil : entry
        hook.interval = entry.value.isEmpty ? defaults.interval : try ValueParser.interval(entry.value)
      case "Required":
        hook.isRequired = entry.value.isEmpty ? defaults.isRequired : try ValueParser.boolean(entry.value)
      case "User": hook.user = try optional(entry, ValueParser.account)
      case "Group": hook.group = try optional(entry, ValueParser.account)
      case "WorkingDirectory": hook.workingDirectory = try optional(entry, ValueParser.absolutePath)
      case "Environment": takeEnvironment(entry)
      case "EnvironmentFile": try takeEnvironmentFile(entry)
      default: break
      }
    } catch {
      fault(entry, error.what, advice: error.advice)
    }
  }

  private mutating func fault(_ entry: UnitFile.Entry, _ what: String, advice: String? = nil) {
    faulty.insert(entry.key)
    findings.fault(at: entry, "\(entry.key)=: \(what)", advice: advice)
  }

  private mutating func expand(_ text: String, _ entry: UnitFile.Entry) -> String {
    var problems: [Specifiers.Problem] = []
    let expanded = specifiers.expand(text, problems: &problems)
    for problem in problems { fault(entry, problem.what, advice: problem.advice) }
    return expanded
  }

  /// A value with specifiers; empty takes back what stood before.
  private mutating func optional(_ entry: UnitFile.Entry, _ parse: (String) throws(ValueParser.Problem) -> String)
    throws(ValueParser.Problem) -> String?
  {
    let value = expand(entry.value, entry)
    return value.isEmpty ? nil : try parse(value)
  }

  private mutating func takeEvents(_ entry: UnitFile.Entry) throws(ValueParser.Problem) {
    if entry.value.isEmpty { hook.events = [] }
    for word in Self.words(entry.value) {
      let event = try ValueParser.word(word, HookEvent.self, noun: "an event")
      if !hook.events.contains(event) { hook.events.append(event) }
    }
  }

  private mutating func takeReasons(_ entry: UnitFile.Entry) throws(ValueParser.Problem) {
    if entry.value.isEmpty { hook.reasons = nil }
    for word in Self.words(entry.value) {
      let reason = try ValueParser.word(word, HookReason.self, noun: "a reason")
      if hook.reasons?.contains(reason) != true { hook.reasons = (hook.reasons ?? []) + [reason] }
    }
  }

  private mutating func takeCommands(_ entry: UnitFile.Entry) {
    if entry.value.isEmpty {
      hook.commands = []
      return
    }
    let split = CommandSplitter.split(entry.value)
    warn(of: split.unknownEscapes, entry)
    if let problem = split.problem {
      fault(entry, problem)
      return
    }
    if split.commands.isEmpty { fault(entry, "there is no program to run") }
    for words in split.commands {
      do throws(HookCommand.Problem) {
        hook.commands.append(try HookCommand(words: words.map { expand($0, entry) }))
      } catch {
        fault(entry, error.what, advice: error.advice)
      }
    }
  }

  private mutating func warn(of escapes: [String], _ entry: UnitFile.Entry) {
    for escape in escapes {
      findings.warn(
        at: entry, "\(entry.key)=: the unknown escape \(escape) stays as it is", advice: "write \\\(escape) to say so")
    }
  }

  private mutating func takeEnvironment(_ entry: UnitFile.Entry) {
    if entry.value.isEmpty { hook.environment = [] }
    var words = WordExtractor(entry.value)
    do throws(WordExtractor.Problem) {
      while let word = try words.next() {
        // Unlike Exec=, systemd takes no escape here that it does not know.
        for escape in word.unknownEscapes {
          fault(entry, "\(escape) is no known escape", advice: "write \\\(escape) for a literal backslash")
        }
        let text = expand(word.text, entry)
        if let variable = EnvironmentVariable(assignment: text) {
          hook.environment.append(variable)
        } else {
          let advice = "write NAME=VALUE, and quotes around all of it where the value has blanks"
          fault(entry, "\(text.quoted) is not an assignment", advice: advice)
        }
      }
    } catch {
      switch error {
      case .unclosedQuote(let quote): fault(entry, "the quote \(quote) is not closed")
      case .notUTF8: fault(entry, "the escapes do not give valid UTF-8")
      }
    }
  }

  private mutating func takeEnvironmentFile(_ entry: UnitFile.Entry) throws(ValueParser.Problem) {
    if entry.value.isEmpty {
      hook.environmentFiles = []
      return
    }
    let value = expand(entry.value, entry)
    let mayBeMissing = value.hasPrefix("-")
    let path = try ValueParser.absolutePath(mayBeMissing ? String(value.dropFirst()) : value)
    if path.contains(where: { "*?[".contains($0) }) {
      throw ValueParser.Problem(
        what: "wildcards are not supported in \(path.quoted)", advice: "write one line per file")
    }
    hook.environmentFiles.append(.init(path: path, mayBeMissing: mayBeMissing))
  }

  private mutating func checkWhole(_ file: String) {
    if hook.events.isEmpty, !faulty.contains("On") {
      let names = HookEvent.allCases.map(\.rawValue).joined(separator: ", ")
      findings.fault(in: file, "this hook has no On=", advice: "say when it runs: \(names)")
    }
    if hook.commands.isEmpty, !faulty.contains("Exec") {
      findings.fault(in: file, "this hook has no Exec=", advice: "say what it runs")
    }
    if let interval, !hook.checksHealth, !faulty.contains("On") {
      findings.fault(
        at: interval, "IntervalSec=: only a hook with On=health has an interval",
        advice: "add health to On=, or remove this line")
    }
    if hook.checksHealth, hook.timeout == .infinity {
      findings.warn(
        in: file, "with TimeoutSec=infinity a health check that hangs is never found", advice: "write a time such as 5s"
      )
    }
    if let reasons = hook.reasons, !faulty.contains("Reason") {
      if hook.events == [.health] {
        findings.warn(in: file, "Reason= means nothing to health", advice: "remove it")
      }
      for event in hook.events where !event.possibleReasons.contains(where: reasons.contains) {
        let names = event.possibleReasons.map(\.rawValue).joined(separator: ", ")
        findings.warn(
          in: file, "with this Reason= the hook never runs on \(event.rawValue)", advice: "that happens for: \(names)")
      }
    }
  }

  private static func words(_ value: String) -> [String] {
    value.split { $0 == " " || $0 == "\t" }.map(String.init)
  }
}
