/// Where news of the machine comes from; it is opened and closed on the loop, again and again.
protocol OccurrenceSource: Sendable {
  func open()
  func close()
}
