/// Makes a hook of a `.hook` file that is already merged with its drop-ins.
struct HookReader {
  private var hook: HookDefinition
  private var values: EntryReader
  private var after: [UnitOrder.Wish] = []
  /// Where `IntervalSec=` stands last.
  private var interval: UnitFile.Entry?

  /// The hook, what it goes after, and what is wrong with it; with any fault the hook is not to be used.
  static func read(_ unit: UnitFile, file: String, specifiers: Specifiers)
    -> (hook: HookDefinition, after: [UnitOrder.Wish], findings: Findings)
  {
    var reader = HookReader(specifiers: specifiers)
    for entry in UnitSchema.hook.accepted(in: unit, findings: &reader.values.findings) { reader.take(entry) }
    reader.hook.after = reader.after.map(\.name)
    reader.checkWhole(file)
    return (reader.hook, reader.after, reader.values.findings)
  }

  private init(specifiers: Specifiers) {
    values = EntryReader(specifiers: specifiers)
    hook = HookDefinition(name: specifiers.name)
  }

  private mutating func take(_ entry: UnitFile.Entry) {
    let defaults = HookDefinition(name: hook.name)
    do throws(ValueParser.Problem) {
      switch entry.key {
      case "On": try takeEvents(entry)
      case "Reason": try takeReasons(entry)
      case "Exec":
        if entry.value.isEmpty { hook.commands = [] } else { hook.commands += values.commands(entry) }
      case "TimeoutSec": hook.timeout = entry.value.isEmpty ? defaults.timeout : try ValueParser.timeout(entry.value)
      case "IntervalSec":
        interval = entry.value.isEmpty ? nil : entry
        hook.interval = entry.value.isEmpty ? defaults.interval : try ValueParser.interval(entry.value)
      case "Required":
        hook.isRequired = entry.value.isEmpty ? defaults.isRequired : try ValueParser.boolean(entry.value)
      case "After": values.takeAfter(entry, into: &after)
      default: try values.take(entry, into: &hook)
      }
    } catch {
      values.fault(entry, error)
    }
  }

  private mutating func takeEvents(_ entry: UnitFile.Entry) throws(ValueParser.Problem) {
    if entry.value.isEmpty { hook.events = [] }
    for word in EntryReader.words(entry.value) {
      let event = try ValueParser.word(word, HookEvent.self, noun: "an event")
      if !hook.events.contains(event) { hook.events.append(event) }
    }
  }

  private mutating func takeReasons(_ entry: UnitFile.Entry) throws(ValueParser.Problem) {
    if entry.value.isEmpty { hook.reasons = nil }
    for word in EntryReader.words(entry.value) {
      let reason = try ValueParser.word(word, HookReason.self, noun: "a reason")
      if hook.reasons?.contains(reason) != true { hook.reasons = (hook.reasons ?? []) + [reason] }
    }
  }

  private mutating func checkWhole(_ file: String) {
    if hook.events.isEmpty, !values.faulty.contains("On") {
      let names = HookEvent.allCases.map(\.rawValue).joined(separator: ", ")
      values.findings.fault(in: file, "this hook has no On=", advice: "say when it runs: \(names)")
    }
    if hook.commands.isEmpty, !values.faulty.contains("Exec") {
      values.findings.fault(in: file, "this hook has no Exec=", advice: "say what it runs")
    }
    if let interval, !hook.checksHealth, !values.faulty.contains("On") {
      values.findings.fault(
        at: interval, "IntervalSec=: only a hook with On=health has an interval",
        advice: "add health to On=, or remove this line")
    }
    if hook.checksHealth, hook.timeout == .infinity {
      values.findings.warn(
        in: file, "with TimeoutSec=infinity a health check that hangs is never found", advice: "write a time such as 5s"
      )
    }
    if let reasons = hook.reasons, !values.faulty.contains("Reason") {
      if hook.events == [.health] {
        values.findings.warn(in: file, "Reason= means nothing to health", advice: "remove it")
      }
      for event in hook.events where !event.possibleReasons.contains(where: reasons.contains) {
        let names = event.possibleReasons.map(\.rawValue).joined(separator: ", ")
        values.findings.warn(
          in: file, "with this Reason= the hook never runs on \(event.rawValue)", advice: "that happens for: \(names)")
      }
    }
  }
}
