/// Where news of the machine comes from; it is opened and closed on the loop, again and again.
protocol OccurrenceSource: Sendable {
  /// The run begins: what happens from now on is told at the first opening, if nothing else remembers it.
  func prepare()
  func open()
  func close()
  /// A start or a reload has ended: looks at what may have changed without a word.
  func lookAgain()
}

extension OccurrenceSource {
  func prepare() {}
  func lookAgain() {}
}
