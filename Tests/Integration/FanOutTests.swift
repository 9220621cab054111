import Testing

@Suite("A post to many listeners", .timeLimit(.minutes(5)))
struct FanOutTests {
  @Test("No allocation per listener and post, and everything grows with the number of listeners and no faster")
  func growth() async throws {
    let program = try ExampleProcess("FanOut", ["--quick"])
    #expect(await eventually(within: .seconds(100)) { program.hasEnded })
    var measured: [String: (allocations: Double, nanoseconds: Double)] = [:]
    for line in program.output.split(separator: "\n") {
      let words = line.split(separator: " ")
      guard words.count == 4, let allocations = Double(words[2]), let nanoseconds = Double(words[3]) else { continue }
      measured["\(words[0]) \(words[1])"] = (allocations, nanoseconds)
    }
    let few = try #require(measured["synchronous 1000"])
    let many = try #require(measured["synchronous 100000"])
    #expect(many.allocations <= few.allocations + 5, "a post to a hundred times as many allocates no more")
    #expect(many.allocations < 60)
    // A hundred times as many may cost each of them a few cache misses more, not a search through all.
    for kind in ["synchronous", "add", "remove"] {
      let (few, many) = (try #require(measured["\(kind) 1000"]), try #require(measured["\(kind) 100000"]))
      #expect(many.nanoseconds < few.nanoseconds * 10, "\(kind): \(few.nanoseconds) ns, then \(many.nanoseconds) ns")
      if kind != "synchronous" { #expect(many.allocations < few.allocations + 5) }
    }
  }
}
