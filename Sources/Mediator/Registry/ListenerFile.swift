/// What a file of listeners says, before anybody knows what its ids mean: a pure value, and all that is wrong.
enum ListenerFile {
  /// One entry of the file.
  struct Item: Hashable, Sendable {
    var id: String
    var isRequired = true
    var timeout: Duration?
    /// Which entry it is, counted from 1.
    var number: Int
    /// The line of the id.
    var line: Int?
  }

  private static let entryKeys = ["id", "required", "timeout"]
  private static let rootKey = "listeners"
  /// A year of seconds: beyond it a limit is a slip of the hand.
  private static let longestTimeout = 31_536_000.0

  /// The entries that are good in themselves, and what is wrong with the others.
  static func items(of root: LocatedValue) -> (items: [Item], faults: [RegistryFault]) {
    var faults: [RegistryFault] = []
    guard let list = list(of: root, &faults) else { return ([], faults) }
    if list.isEmpty {
      faults.append(
        RegistryFault(
          line: root.line, what: "no listener is listed", advice: "list at least one, or take the file away"))
    }
    var items: [Item] = []
    var places: [String: Item] = [:]
    for (index, value) in list.enumerated() {
      guard let item = item(value, number: index + 1, &faults) else { continue }
      if let first = places[item.id] {
        let place = first.line.map { "in line \($0)" } ?? "as entry \(first.number)"
        faults.append(
          RegistryFault(
            line: item.line, entry: item.number, what: "the id \(RegistryFault.quoted(item.id)) is listed twice",
            advice: "it stands \(place) already"))
      } else {
        places[item.id] = item
        items.append(item)
      }
    }
    return (items, faults)
  }

  private static func list(of root: LocatedValue, _ faults: inout [RegistryFault]) -> [LocatedValue]? {
    switch root.content {
    case .list(let list): return list
    case .table(let members):
      let known = table(members, keys: [rootKey], entry: nil, &faults)
      guard let member = known[rootKey] else {
        if faults.isEmpty {
          faults.append(
            RegistryFault(line: root.line, what: "there is no key \"listeners\"", advice: "put the array there"))
        }
        return nil
      }
      guard case .list(let list) = member.value.content else {
        faults.append(wrongType("\"listeners\"", member, "an array", entry: nil))
        return nil
      }
      return list
    case .text, .number, .flag, .other:
      faults.append(
        RegistryFault(
          line: root.line, what: "this is \(root.kind), not an array of listeners",
          advice: "begin with an array, or with a dictionary that has one under \"listeners\""))
      return nil
    }
  }

  /// nil when the entry has a fault.
  private static func item(_ value: LocatedValue, number: Int, _ faults: inout [RegistryFault]) -> Item? {
    switch value.content {
    case .text(let id): return item(id, line: value.line, number: number, &faults)
    case .table(let members): return item(members, of: value, number: number, &faults)
    case .number, .flag, .list, .other:
      faults.append(
        RegistryFault(
          line: value.line, entry: number, what: "\(value.kind) is no listener",
          advice: "write an id, or a dictionary with \"id\""))
      return nil
    }
  }

  private static func item(_ id: String, line: Int?, number: Int, _ faults: inout [RegistryFault]) -> Item? {
    if id.isEmpty { faults.append(RegistryFault(line: line, entry: number, what: "the id is empty")) }
    return id.isEmpty ? nil : Item(id: id, number: number, line: line)
  }

  private static func item(
    _ members: [LocatedValue.Member], of value: LocatedValue, number: Int, _ faults: inout [RegistryFault]
  ) -> Item? {
    let before = faults.count
    let known = table(members, keys: entryKeys, entry: number, &faults)
    var item = Item(id: "", number: number)
    if let member = known["id"] {
      if case .text(let id) = member.value.content {
        item = Self.item(id, line: member.value.line, number: number, &faults) ?? item
      } else {
        faults.append(wrongType("\"id\"", member, "a string", entry: number))
      }
    } else if faults.count == before {
      faults.append(RegistryFault(line: value.line, entry: number, what: "there is no \"id\""))
    }
    if let member = known["required"] {
      if case .flag(let isRequired) = member.value.content {
        item.isRequired = isRequired
      } else {
        faults.append(wrongType("\"required\"", member, "true or false", entry: number))
      }
    }
    if let member = known["timeout"] { item.timeout = timeout(member, entry: number, &faults) }
    return faults.count == before ? item : nil
  }

  private static func timeout(
    _ member: LocatedValue.Member, entry: Int, _ faults: inout [RegistryFault]
  ) -> Duration? {
    guard case .number(let seconds) = member.value.content else {
      faults.append(wrongType("\"timeout\"", member, "a number of seconds", entry: entry))
      return nil
    }
    guard seconds > 0, seconds <= longestTimeout else {
      let what = seconds > longestTimeout ? "the timeout is longer than a year" : "the timeout is not more than 0"
      faults.append(
        RegistryFault(
          line: member.value.line, entry: entry, what: what,
          advice: "write the seconds that each call may take, or leave it out"))
      return nil
    }
    return .seconds(seconds)
  }

  /// The members with a key that has a meaning; the others, and those that come again, are faults.
  private static func table(
    _ members: [LocatedValue.Member], keys: [String], entry: Int?, _ faults: inout [RegistryFault]
  ) -> [String: LocatedValue.Member] {
    var known: [String: LocatedValue.Member] = [:]
    for member in members {
      let key = RegistryFault.quoted(member.key)
      if !keys.contains(member.key) {
        let advice = Suggestion.advice(for: member.key, among: keys)
        faults.append(
          RegistryFault(
            line: member.line, entry: entry, what: "unknown key \(key)",
            advice: advice ?? "there is \(keys.joined(separator: ", "))"))
      } else if known.updateValue(member, forKey: member.key) != nil {
        faults.append(RegistryFault(line: member.line, entry: entry, what: "the key \(key) is there twice"))
      }
    }
    return known
  }

  private static func wrongType(
    _ what: String, _ member: LocatedValue.Member, _ wanted: String, entry: Int?
  ) -> RegistryFault {
    RegistryFault(
      line: member.value.line, entry: entry, what: "\(what) is \(member.value.kind)", advice: "it should be \(wanted)")
  }
}
