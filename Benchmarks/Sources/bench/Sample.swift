/// The times of some rounds, and what can be said of them.
import CMeasure
import Foundation

struct Sample {
  private(set) var nanoseconds: [Double] = []

  /// Adds one round: the mean of so many runs of the body.
  mutating func add(_ times: Int, _ body: () -> Void) {
    let began = measure_now()
    for _ in 0..<times { body() }
    nanoseconds.append(Double(measure_now() - began) / Double(times))
  }

  var median: Double { Self.quantile(nanoseconds, 0.5) }

  /// What each round took beside the same round of another: the median, and the quartiles.
  func ratios(to floor: Sample) -> [Double] {
    let ratios = zip(nanoseconds, floor.nanoseconds).map { $0 / $1 }
    return [0.5, 0.25, 0.75].map { Self.quantile(ratios, $0) }
  }

  static func quantile(_ values: [Double], _ share: Double) -> Double {
    values.sorted()[min(values.count - 1, Int(Double(values.count) * share))]
  }
}

/// One line of JSON on standard output.
func say(_ what: String, _ fields: KeyValuePairs<String, String>) {
  let members = fields.map { "\"\($0.key)\": \($0.value)" }.joined(separator: ", ")
  print("{\"what\": \"\(what)\", \(members)}")
}

extension Double {
  var json: String { String(format: "%.3f", self) }
}

extension [Double] {
  var json: String { "[" + map(\.json).joined(separator: ", ") + "]" }
}
