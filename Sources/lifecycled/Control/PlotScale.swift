/// Where the moments of one stretch lie on the picture, and its ticks.
struct PlotScale: Equatable, Sendable {
  var began: UInt64
  var length: UInt64
  var left: Double
  var width: Double

  /// Room for the first and last bars, so that they do not touch the border.
  private static let margin = 6.0

  func position(of time: UInt64) -> Double {
    let share = length == 0 ? 0 : Double(min(max(time, began) - began, length)) / Double(length)
    return left + Self.margin + share * (width - 2 * Self.margin)
  }

  var right: Double { left + width }

  /// Times since the beginning, 1, 2 or 5 times a power of ten apart, and wide enough apart for their labels.
  var ticks: [UInt64] {
    if length == 0 { return [0] }
    let most = max(1, (width - 2 * Self.margin) / 64)
    var step: UInt64 = 1
    var factors = [2, 2.5, 2][...]
    while Double(length) / Double(step) > most, step < .max / 10 {
      step = UInt64(Double(step) * (factors.popFirst() ?? 2))
      if factors.isEmpty { factors = [2, 2.5, 2] }
    }
    var ticks: [UInt64] = [0]
    while let last = ticks.last, length - last >= step { ticks.append(last + step) }
    return ticks
  }
}
