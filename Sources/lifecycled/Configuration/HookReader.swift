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
    if entry.value.isEmpty { (hook.events, hook.signals) = ([], []) }
    for word in EntryReader.words(entry.value) {
      if let signal = try Self.signal(word) {
        if !hook.events.contains(.signal) { hook.events.append(.signal) }
        if !hook.signals.contains(signal) { hook.signals.append(signal) }
        continue
      }
      let event = try ValueParser.word(word, HookEvent.self, noun: "an event")
      if !hook.events.contains(event) { hook.events.append(event) }
    }
  }

  /// The number of a signal's event; nil for any other event.
  private static func signal(_ word: String) throws(ValueParser.Problem) -> Int32? {
    guard word == "signal" || word.hasPrefix("signal:") else { return nil }
    let name = word.dropFirst("signal:".count)
    if name.isEmpty { throw .init(what: "signal needs the name of one", advice: "for example signal:RTMIN+5") }
    let number = try SignalName.number(of: String(name))
    if let reason = SignalRule.refusal(of: number) {
      throw .init(what: "\(SignalName.name(of: number)) runs no hook: \(reason)")
    }
    return number
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
      let names = HookEvent.words.joined(separator: ", ")
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
      if !hook.events.isEmpty, hook.events.allSatisfy(\.isBeside) {
        let names = hook.events.map(\.rawValue).joined(separator: ", ")
        values.findings.warn(in: file, "Reason= means nothing to \(names)", advice: "remove it")
      }
      for event in hook.events where !event.possibleReasons.contains(where: reasons.contains) {
        let names = event.possibleReasons.map(\.rawValue).joined(separator: ", ")
        values.findings.warn(
          in: file, "with this Reason= the hook never runs on \(event.rawValue)", advice: "that happens for: \(names)")
      }
    }
  }
}
