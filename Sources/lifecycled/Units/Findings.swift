/// Collects faults and warnings while a reader goes on to the end of its file.
struct Findings: Sendable, Equatable {
  private(set) var all: [Fault] = []

  var faults: [Fault] { all.filter { $0.severity == .error } }
  var warnings: [Fault] { all.filter { $0.severity == .warning } }

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
