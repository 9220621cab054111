/// Decides when the watchdog is pinged, and what is wrong: a pure value that counts in ticks.
///
/// At each tick everybody is asked, and whoever has not answered by the next one, or in the ticks that it may take, is
/// unwell. The manager hears nothing while somebody required is unwell, or while delivery does not turn.
package struct HealthMonitor: Hashable, Sendable {
  /// Somebody whose health is checked.
  package struct Member: Hashable, Sendable {
    package var id: UInt64
    package var name: String
    package var isRequired: Bool
    /// How many ticks an answer may take.
    package var patience: Int
    /// It was left behind and is never asked again.
    package var isLost: Bool

    package init(id: UInt64, name: String, isRequired: Bool, patience: Int = 1, isLost: Bool = false) {
      self.id = id
      self.name = name
      self.isRequired = isRequired
      self.patience = patience
      self.isLost = isLost
    }
  }

  package enum Effect: Hashable, Sendable {
    case ping
    /// Make the manager act at once.
    case trigger
    case ask(Member)
    /// All who are unwell now; empty when all is well again.
    case report([ListenerFailure])
  }

  private struct Check: Hashable, Sendable {
    /// Ticks since it was asked; nil when it has answered.
    var age: Int?
    var failure: ListenerFailure?
    /// Something has changed since it was asked.
    var isOutdated = false
  }

  private let pings: Bool
  private let triggers: Bool
  private var checks: [UInt64: Check] = [:]
  /// Who was there at the last tick, and what is wrong beside their answers.
  private var members: [Member] = []
  private var others: [ListenerFailure] = []
  private var reported: [ListenerFailure] = []
  private var hasTriggered = false

  /// - Parameters:
  ///   - pings: whether the manager wants to be pinged.
  ///   - triggers: whether it is to act at once when somebody required is unwell.
  package init(pings: Bool, triggers: Bool = false) {
    self.pings = pings
    self.triggers = triggers
  }

  /// - Parameters:
  ///   - members: who is there now, in order.
  ///   - isTurning: whether delivery is.
  package mutating func tick(_ members: [Member], isTurning: Bool) -> [Effect] {
    let present = Set(members.map(\.id))
    checks = checks.filter { present.contains($0.key) }
    var failures: [ListenerFailure] = []
    self.members = members.filter { !$0.isLost }
    if !isTurning {
      failures.append(
        ListenerFailure(
          listener: "delivery", event: .didBecomeActive, isRequired: true,
          message: "a listener or an observer does not return"))
    }
    var asked: [Effect] = []
    for member in members where member.isLost {
      failures.append(
        ListenerFailure(
          listener: member.name, event: .didBecomeActive, isRequired: member.isRequired,
          message: "it did not return, and was left behind"))
    }
    others = failures
    for member in self.members {
      if let failure = look(at: member) { failures.append(failure) }
      if checks[member.id]?.age == nil {
        checks[member.id, default: Check()].age = 0
        asked.append(.ask(member))
      }
    }
    return verdict(failures) + (pings && !failures.contains(where: \.isRequired) ? [.ping] : []) + asked
  }

  /// A check has ended, well or not; what changes with it is told at once, but for the ping, which has its time.
  package mutating func answered(_ id: UInt64, _ failure: ListenerFailure?) -> [Effect] {
    guard let check = checks[id] else { return [] }
    checks[id] = Check(age: nil, failure: failure)
    let again = check.isOutdated ? ask(id) : []
    return verdict(others + members.compactMap { checks[$0.id]?.failure }) + again
  }

  /// Somebody says that it may have changed: it is asked now.
  package mutating func ask(_ id: UInt64) -> [Effect] {
    guard let member = members.first(where: { $0.id == id }) else { return [] }
    guard checks[id]?.age == nil else {
      checks[id]?.isOutdated = true
      return []
    }
    checks[id, default: Check()].age = 0
    return [.ask(member)]
  }

  /// How many have been asked and have not answered.
  package var openChecks: Int { checks.values.count { $0.age != nil } }

  /// What is known of a member; one that is late is unwell until it answers.
  private mutating func look(at member: Member) -> ListenerFailure? {
    guard var check = checks[member.id] else { return nil }
    if let age = check.age {
      check.age = age + 1
      if age + 1 >= member.patience {
        check.failure = ListenerFailure(
          listener: member.name, event: .didBecomeActive, isRequired: member.isRequired,
          message: "its health check does not answer")
      }
    }
    checks[member.id] = check
    return check.failure
  }

  private mutating func verdict(_ failures: [ListenerFailure]) -> [Effect] {
    var effects: [Effect] = []
    if failures != reported { effects.append(.report(failures)) }
    reported = failures
    guard pings else { return effects }
    guard failures.contains(where: \.isRequired) else {
      hasTriggered = false
      return effects
    }
    if triggers, !hasTriggered {
      hasTriggered = true
      effects.append(.trigger)
    }
    return effects
  }
}
