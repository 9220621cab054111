/// One thing that is wrong in a file of listeners, and where it stands.
struct RegistryFault: Error, Hashable, Sendable {
  /// Counted from 1; nil in a binary file, and for the file as a whole.
  var line: Int?
  /// Which entry, counted from 1; nil for the file as a whole.
  var entry: Int?
  var what: String
  /// What to do about it, without a full stop.
  var advice = ""

  init(line: Int? = nil, entry: Int? = nil, what: String, advice: String = "") {
    self.line = line
    self.entry = entry
    self.what = what
    self.advice = advice
  }

  /// "FILE:LINE: entry N: what".
  func text(in file: String) -> String {
    let place = line.map { "\(file):\($0)" } ?? file
    return entry.map { "\(place): entry \($0): \(what)" } ?? "\(place): \(what)"
  }

  /// A word of the file as a complaint shows it: in quotes, on one line, not without end.
  static func quoted(_ word: String) -> String {
    word.unicodeScalars.count > 80 ? String(word.prefix(77)).debugDescription + "…" : word.debugDescription
  }
}

extension LifecycleError {
  /// Faults that an error names one by one; the others are counted.
  private static let mostFaults = 20

  /// All that is wrong in a file, one fault a line.
  init(_ faults: [RegistryFault], in file: String) {
    if faults.count == 1 {
      self.init(.registry, message: faults[0].text(in: file), advice: faults[0].advice)
      return
    }
    var lines = faults.prefix(Self.mostFaults).map { fault in
      fault.advice.isEmpty ? fault.text(in: file) : "\(fault.text(in: file)) (\(fault.advice))"
    }
    if faults.count > Self.mostFaults { lines.append("and \(faults.count - Self.mostFaults) more") }
    self.init(
      .registry, message: "\(file): \(faults.count) faults\n" + lines.joined(separator: "\n"),
      advice: "nothing was loaded; mend them all")
  }
}
