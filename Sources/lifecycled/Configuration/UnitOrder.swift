/// The one order of hooks and programs: by file name, moved only as far as `After=` demands.
///
/// A unit with `After=` moves back, right behind the last that it names; all others stay.
struct UnitOrder: Sendable, Equatable {
  /// One name in an `After=`, and where it stands.
  struct Wish: Sendable, Hashable {
    /// A file name, or one without its suffix, which means a hook as well as a program.
    var name: String
    var file: String
    var line: Int
  }

  /// More circles than this are not named one by one.
  static let circleLimit = 10

  private(set) var names: [String] = []
  /// Which units go right before each because it says so; only those that have any.
  private(set) var predecessors: [String: [String]] = [:]
  private(set) var findings = Findings()

  /// - Parameter units: by file name, what each goes after.
  init(_ units: [String: [Wish]]) {
    var sorter = UnitSorter(units)
    sorter.sort()
    names = sorter.order.map { sorter.names[$0] }
    findings = sorter.findings
    for (index, wishes) in sorter.predecessors.enumerated() where !wishes.isEmpty {
      predecessors[sorter.names[index]] = wishes.keys.sorted().map { sorter.names[$0] }
    }
  }
}

/// The work itself; units are numbers in the order of their names.
private struct UnitSorter {
  let names: [String]
  private(set) var findings = Findings()
  private(set) var order: [Int] = []
  /// By unit: those that go before it, and who says so.
  private(set) var predecessors: [[Int: UnitOrder.Wish]]
  private var successors: [[Int]]
  /// How many have to go before it still.
  private var missing: [Int] = []
  private var isPlaced: [Bool]

  init(_ units: [String: [UnitOrder.Wish]]) {
    names = units.keys.sorted(by: FolderCatalogue.precedes)
    predecessors = Array(repeating: [:], count: names.count)
    successors = Array(repeating: [], count: names.count)
    isPlaced = Array(repeating: false, count: names.count)
    var numbers: [String: [Int]] = [:]
    for (number, name) in names.enumerated() {
      numbers[name, default: []].append(number)
      if let stem = name.unitStem { numbers[stem, default: []].append(number) }
    }
    for (number, name) in names.enumerated() {
      for wish in units[name] ?? [] {
        guard let others = numbers[wish.name] else {
          findings.warn(
            in: wish.file, line: wish.line, "After=: there is no hook or program \(wish.name.quoted)",
            advice: Self.advice(for: wish.name))
          continue
        }
        for other in others where predecessors[number][other] == nil {
          // A hook and a program of one stem may name each other by it.
          if other == number, others.count > 1 { continue }
          predecessors[number][other] = wish
          successors[other].append(number)
        }
      }
    }
    missing = predecessors.map { $0.count }
  }

  private static func advice(for name: String) -> String {
    let systemds = [".service", ".target", ".socket", ".mount", ".timer", ".path", ".device", ".slice"]
    return systemds.contains(where: name.hasSuffix)
      ? "units of systemd belong in After= of the unit of lifecycled itself" : "remove it, or correct the name"
  }

  mutating func sort() {
    for number in names.indices where !isPlaced[number] && missing[number] == 0 { place(number, upTo: number) }
    var circles = 0
    while order.count < names.count, let circle = circle() {
      circles += 1
      if circles > UnitOrder.circleLimit { break }
      report(circle)
      let (last, first) = (circle[0], circle[1 % circle.count])
      predecessors[last][first] = nil
      successors[first].removeAll { $0 == last }
      missing[last] -= 1
      if missing[last] == 0 { place(last, upTo: names.count) }
    }
    // With a fault nobody runs them.
    order += names.indices.filter { !isPlaced[$0] }
  }

  /// Places a unit, and then those before `end` that waited for it, the first by name first.
  private mutating func place(_ first: Int, upTo end: Int) {
    var ready = [first]
    while !ready.isEmpty {
      let number = ready.removeFirst()
      isPlaced[number] = true
      order.append(number)
      for successor in successors[number] {
        missing[successor] -= 1
        guard missing[successor] == 0, successor < end else { continue }
        ready.insert(successor, at: ready.firstIndex { $0 > successor } ?? ready.endIndex)
      }
    }
  }

  /// Units each of which goes after the next, and the last after the first.
  private func circle() -> [Int]? {
    guard var number = names.indices.first(where: { !isPlaced[$0] }) else { return nil }
    var path: [Int] = []
    var positions: [Int: Int] = [:]
    while positions[number] == nil {
      positions[number] = path.count
      path.append(number)
      guard let next = predecessors[number].keys.filter({ !isPlaced[$0] }).min() else { return nil }
      number = next
    }
    let circle = path[positions[number]!...]
    let start = circle.firstIndex(of: circle.min()!)!
    return Array(circle[start...] + circle[..<start])
  }

  /// Of a circle, so that its message can be read.
  private static let shownLimit = 20

  private mutating func report(_ circle: [Int]) {
    guard let wish = predecessors[circle[0]][circle[1 % circle.count]] else { return }
    if circle.count == 1 {
      findings.append(
        Fault(
          file: wish.file, line: wish.line, what: "After=: \(names[circle[0]]) cannot go after itself",
          advice: "remove the name"))
      return
    }
    var text = names[circle[0]]
    for (position, number) in circle.prefix(Self.shownLimit).enumerated() {
      let next = circle[(position + 1) % circle.count]
      text += " after \(names[next])"
      if position > 0, let other = predecessors[number][next] { text += " (\(other.file):\(other.line))" }
    }
    if circle.count > Self.shownLimit { text += " and so on, \(circle.count) in all" }
    findings.append(
      Fault(
        file: wish.file, line: wish.line, what: "After=: this goes in a circle: \(text)",
        advice: "remove one of these names"))
  }
}

extension String {
  /// The name of a hook or program without its suffix.
  fileprivate var unitStem: String? {
    for suffix in [".hook", ".process"] where hasSuffix(suffix) { return String(dropLast(suffix.count)) }
    return nil
  }
}
