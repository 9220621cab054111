package import Mediator

/// Reads what the kernel says of a control group's or the machine's memory pressure; pure.
extension MemoryPressure {
  /// Takes the numbers of "some avg10=0.00 avg60=0.00 avg300=0.00 total=0", and of the same with "full"; a line that
  /// does not read so is left out.
  package mutating func take(_ text: String) {
    for line in text.split(separator: "\n") {
      let words = line.split(separator: " ")
      guard let name = words.first, let level = Level(rawValue: String(name)), let stall = Stall(words.dropFirst())
      else { continue }
      switch level {
      case .some: some = stall
      case .full: full = stall
      }
    }
  }
}

extension MemoryPressure.Stall {
  /// nil when a number is missing, or none.
  init?(_ words: ArraySlice<Substring>) {
    func value(_ name: String) -> Substring? {
      words.first { $0.hasPrefix("\(name)=") }?.dropFirst(name.count + 1)
    }
    func share(_ name: String) -> Double? {
      value(name).flatMap { Double($0) }.flatMap { (0...100).contains($0) ? $0 : nil }
    }
    guard let average10 = share("avg10"), let average60 = share("avg60"), let average300 = share("avg300"),
      let total = value("total").flatMap({ UInt64($0) })
    else { return nil }
    self.init(
      average10: average10, average60: average60, average300: average300,
      total: .microseconds(Int64(clamping: total)))
  }
}
