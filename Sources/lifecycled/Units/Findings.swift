/// Collects faults and warnings while a reader goes on to the end of its file.
struct Findings: Sendable, Equatable {
  private(set) var all: [Fault] = []

  var faults: [Fault] { all.filter { $0.severity == .error } }
  var warnings: [Fault] { all.filter { $0.severity == .warning } }

  /// The same by file in the order given, then by line; what concerns a whole file follows what stands on its lines.
  func inOrder(of files: [String]) -> [Fault] {
    let ranks = Dictionary(zip(files, files.indices), uniquingKeysWith: { first, _ in first })
    let keyed = all.enumerated().map { index, fault in
      (fault, ranks[fault.file] ?? files.count, fault.line ?? .max, index)
    }
    return keyed.sorted { ($0.1, $0.2, $0.3) < ($1.1, $1.2, $1.3) }.map(\.0)
  }

  mutating func append(_ fault: Fault) { all.append(fault) }

  mutating func append(contentsOf faults: [Fault]) { all += faults }

  mutating func fault(at entry: UnitFile.Entry, _ what: String, advice: String? = nil) {
    all.append(Fault(file: entry.file, line: entry.line, what: what, advice: advice))
  }

  mutating func fault(in file: String, _ what: String, advice: String? = nil) {
    all.append(Fault(file: file, line: nil, what: what, advice: advice))
  }

  mutating func warn(at entry: UnitFile.Entry, _ what: String, advice: String? = nil) {
    all.append(Fault(severity: .warning, file: entry.file, line: entry.line, what: what, advice: advice))
  }

  mutating func warn(in file: String, line: Int? = nil, _ what: String, advice: String? = nil) {
    all.append(Fault(severity: .warning, file: file, line: line, what: what, advice: advice))
  }
}
