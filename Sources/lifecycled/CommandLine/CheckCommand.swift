/// `lifecycled check`: says everything that is wrong with a configuration, or what was found when nothing is.
///
/// Faults and warnings go to standard error, what was found to standard output, so that either can be read alone.
struct CheckCommand {
  struct Style: Equatable, Sendable {
    /// A table with a header on a terminal, lines of tab-separated fields elsewhere.
    var isTable: Bool
    /// Only on a terminal, and never with `NO_COLOR`.
    var hasColour: Bool
  }

  struct Report: Equatable, Sendable {
    var output: [String] = []
    var errors: [String] = []
    var exitCode = ExitCode.success
  }

  /// - Parameter folders: where it was looked for.
  static func report(
    on configuration: Configuration, in folders: ConfigurationFolders = .standard, output: Style, errors: Style
  ) -> Report {
    var report = Report(exitCode: configuration.exitCode)
    for fault in configuration.findings.all { report.errors.append(line(for: fault, errors)) }
    let summary = summary(of: configuration, folders)
    if configuration.isUsable {
      report.output = table(of: configuration, output)
      report.output.append(paint(summary, .green, output))
    } else {
      report.errors.append(paint(summary, .red, errors))
    }
    return report
  }

  private static func line(for fault: Fault, _ style: Style) -> String {
    paint(fault.description, fault.severity == .error ? .red : .yellow, style)
  }

  private static func summary(of configuration: Configuration, _ folders: ConfigurationFolders) -> String {
    let warnings = count(configuration.warnings.count, "warning")
    let faults = configuration.faults
    if faults.isEmpty, configuration.units.isEmpty {
      let found = "Nothing is wrong, and nothing is there: no hook and no program in "
      let others = configuration.warnings.isEmpty ? "." : "; \(warnings)."
      return found + folders.paths.map(Escaped.text).joined(separator: ", ") + others
    }
    if faults.isEmpty {
      var found = "The configuration is in order: \(count(configuration.hooks.count, "hook"))"
      let programs = configuration.programs.count
      if programs > 0 { found += ", \(count(programs, "program"))" }
      return configuration.warnings.isEmpty ? found + "." : "\(found), \(warnings)."
    }
    let files = Set(faults.map(\.file)).count
    let found = "The configuration cannot be used: \(count(faults.count, "fault")) in \(count(files, "place"))"
    return configuration.warnings.isEmpty ? found + "." : "\(found), \(warnings)."
  }

  private static func count(_ number: Int, _ noun: String) -> String { "\(number) \(noun)\(number == 1 ? "" : "s")" }

  private static func table(of configuration: Configuration, _ style: Style) -> [String] {
    var rows = configuration.units.map { unit in
      let (when, timeout) = moment(of: unit)
      return [
        unit.name, when, timeout, unit.isRequired ? "required" : "optional", unit.files.joined(separator: " "),
      ].map(Escaped.text)
    }
    guard style.isTable else { return rows.map { $0.joined(separator: "\t") } }
    if rows.isEmpty { return [] }
    rows.insert(["NAME", "ON, READY", "TIMEOUT", "FAILURE", "FILES"], at: 0)
    let widths = (0..<4).map { column in rows.map { $0[column].count }.max() ?? 0 }
    return rows.map { row in
      let cells = zip(row, widths).map { cell, width in cell + String(repeating: " ", count: width - cell.count) }
      return (cells + [row[4]]).joined(separator: "  ")
    }
  }

  /// On which events a hook runs, or what makes a program ready, and how long that may take.
  private static func moment(of unit: ConfiguredUnit) -> (when: String, timeout: String) {
    switch unit {
    case .hook(let hook):
      return (hook.events.map(\.rawValue).joined(separator: ","), hook.timeout.description)
    case .program(let program):
      guard let readiness = program.readiness else { return ("-", "-") }
      return (readiness.description, program.readyTimeout.description)
    }
  }

  private enum Colour: String {
    case red = "31"
    case green = "32"
    case yellow = "33"
  }

  private static func paint(_ text: String, _ colour: Colour, _ style: Style) -> String {
    style.hasColour ? "\u{1B}[\(colour.rawValue)m\(text)\u{1B}[0m" : text
  }
}
