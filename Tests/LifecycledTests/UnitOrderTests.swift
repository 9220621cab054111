import Testing

@testable import lifecycled

@Suite("The order of hooks and programs", .timeLimit(.minutes(5)))
struct UnitOrderTests {
  /// "a > b c" says that a goes after b and c; line numbers count from 1.
  private func order(_ lines: [String]) -> UnitOrder {
    var units: [String: [UnitOrder.Wish]] = [:]
    for line in lines {
      let words = line.split(separator: " ").map(String.init)
      units[words[0]] = words.dropFirst(2).enumerated().map {
        .init(name: $1, file: "/e/\(words[0])", line: $0 + 1)
      }
    }
    return UnitOrder(units)
  }

  @Test(
    "By file name, and moved only as far as After= demands",
    arguments: [
      ([], ""), (["b.hook", "a.process", "B.hook", "10.hook"], "10.hook B.hook a.process b.hook"),
      (["a.hook > c.process", "b.hook", "c.process", "d.hook"], "b.hook c.process a.hook d.hook"),
      (["a.hook > c", "b.hook", "c.process", "d.hook"], "b.hook c.process a.hook d.hook"),
      (["d.hook > a.hook", "a.hook", "b.hook"], "a.hook b.hook d.hook"),
      (["a.hook > b", "b.hook > c", "c.hook", "d.hook"], "c.hook b.hook a.hook d.hook"),
      (["a.hook > d", "b.hook > d", "c.hook > a", "d.hook", "e.hook"], "d.hook a.hook b.hook c.hook e.hook"),
      (["a.hook > x", "x.hook", "x.process", "y.hook"], "x.hook x.process a.hook y.hook"),
      (["a.hook > x.hook", "x.hook", "x.process"], "x.hook a.hook x.process"),
      (["x.hook > x", "x.process"], "x.process x.hook"), (["x.hook", "x.process > x"], "x.hook x.process"),
      (["a.hook > b c.hook b.hook", "b.hook", "c.hook"], "b.hook c.hook a.hook"),
    ])
  func sorted(lines: [String], names: String) {
    let order = order(lines)
    #expect(order.findings.all.isEmpty)
    #expect(order.names.joined(separator: " ") == names)
  }

  @Test("It tells who really goes before whom")
  func predecessors() {
    let order = order(["a.hook > x", "b.hook > a.hook nothing", "x.hook", "x.process"])
    #expect(order.predecessors == ["a.hook": ["x.hook", "x.process"], "b.hook": ["a.hook"]])
  }

  @Test("A name of nothing is a warning at its line")
  func unknown() {
    let order = order(["a.hook > a.hok network.target", "b.hook"])
    #expect(order.names == ["a.hook", "b.hook"])
    #expect(
      order.findings.all.map(\.description) == [
        "/e/a.hook:1: warning: After=: there is no hook or program 'a.hok' (remove it, or correct the name)",
        "/e/a.hook:2: warning: After=: there is no hook or program 'network.target' (units of systemd belong in After= of the unit of lifecycled itself)",
      ])
  }

  @Test(
    "A circle is a fault that names all of it, with file and line",
    arguments: [
      (["a.hook > a"], ["/e/a.hook:1: After=: a.hook cannot go after itself (remove the name)"]),
      (
        ["b.hook > a", "a.process > b"],
        [
          "/e/a.process:1: After=: this goes in a circle: a.process after b.hook after a.process (/e/b.hook:1) (remove one of these names)"
        ]
      ),
      (
        ["a.hook", "b.hook > d", "c.hook > b", "d.process > a c", "e.hook > b"],
        [
          "/e/b.hook:1: After=: this goes in a circle: b.hook after d.process after c.hook (/e/d.process:2) after b.hook (/e/c.hook:1) (remove one of these names)"
        ]
      ),
      (
        ["a.hook > b", "b.hook > a", "c.hook > d", "d.hook > c"],
        [
          "/e/a.hook:1: After=: this goes in a circle: a.hook after b.hook after a.hook (/e/b.hook:1) (remove one of these names)",
          "/e/c.hook:1: After=: this goes in a circle: c.hook after d.hook after c.hook (/e/d.hook:1) (remove one of these names)",
        ]
      ),
    ])
  func circles(lines: [String], faults: [String]) {
    let order = order(lines)
    #expect(order.findings.all.map(\.description) == faults)
    #expect(order.names.count == lines.count)
  }

  @Test("Very many units, and a very long circle, are sorted at once and told in a line that can be read")
  func many() {
    let names = (0..<5_000).map { "\(10_000 + $0).hook" }
    let chain = order(zip(names, names.dropFirst()).map { "\($0) > \($1)" } + [names.last!])
    #expect(chain.names == names.reversed())
    let circle = order(zip(names, names.dropFirst() + names.prefix(1)).map { "\($0) > \($1)" })
    #expect(circle.findings.faults.count == 1)
    #expect(circle.findings.faults.allSatisfy { $0.what.hasSuffix("and so on, 5000 in all") })
    let tangled = order(names.prefix(60).map { "\($0) > " + names.prefix(60).joined(separator: " ") })
    #expect(tangled.findings.faults.count == UnitOrder.circleLimit)
    #expect(tangled.names.count == 60)
  }

  @Test("Whatever the wishes, everyone stands once, behind those it names, and who names nobody stays in its place")
  func random() {
    var seed: UInt64 = 1
    func number(below limit: Int) -> Int {
      seed = seed &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return Int(seed >> 33) % limit
    }
    var circles = 0
    for _ in 0..<500 {
      let names = (0..<(1 + number(below: 12))).map { "\(10 + $0)" + (number(below: 2) == 0 ? ".hook" : ".process") }
      let lines = names.map { name in
        let wishes = (0..<number(below: 3)).map { _ in names[number(below: names.count)] }
        return "\(name) > \(wishes.joined(separator: " "))"
      }
      let order = order(lines)
      #expect(order.names.sorted() == names)
      if order.findings.faults.isEmpty {
        let places = Dictionary(uniqueKeysWithValues: zip(order.names, order.names.indices))
        for (name, others) in order.predecessors { #expect(others.allSatisfy { places[$0]! < places[name]! }) }
      } else {
        circles += 1
      }
      let still = order.names.filter { name in lines.contains("\(name) > ") }
      #expect(still == still.sorted())
    }
    #expect((50...450).contains(circles))
  }
}
