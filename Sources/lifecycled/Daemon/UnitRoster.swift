internal import Mediator

/// Which hooks and programs are listeners now, and how a new configuration changes that.
final class UnitRoster: Sendable {
  private struct Member {
    var listener: UnitListener
    var token: LifecycleMediator.Token?
    var companions: [Companion] = []
  }

  private struct Companion {
    var kind: UnitCompanion.Kind
    var listener: UnitCompanion
    var token: LifecycleMediator.Token?
  }

  private struct State {
    var members: [String: Member] = [:]
    weak var mediator: LifecycleMediator?
  }

  private let runner: HookRunner
  private let host: ProgramHost
  private let log: EventLog
  private let state = Locked(State())

  init(runner: HookRunner, host: ProgramHost, log: EventLog) {
    self.runner = runner
    self.host = host
    self.log = log
  }

  /// The units of the first configuration, in order, and then their companions, for a mediator that is made next.
  func entries(for configuration: Configuration) -> [ListenerEntry] {
    var entries: [ListenerEntry] = []
    var companions: [ListenerEntry] = []
    for unit in configuration.units {
      let listener = listener(for: unit)
      entries.append(listener.entry)
      var member = Member(listener: listener)
      for kind in unit.companions {
        guard let companion = UnitCompanion(kind, of: listener, runner: runner, log: log) else { continue }
        companions.append(companion.entry)
        member.companions.append(Companion(kind: kind, listener: companion))
      }
      state.withLock { $0.members[unit.name] = member }
    }
    return entries + companions
  }

  private func listener(for unit: ConfiguredUnit) -> UnitListener {
    switch unit {
    case .hook(let hook): .hook(HookListener(hook.definition, runner: runner))
    case .program(let program): .program(ProgramListener(program.$definition, host: host))
    }
  }

  /// - Parameter tokens: of the entries for the first configuration, in order.
  func attach(to mediator: LifecycleMediator, units: [ConfiguredUnit], tokens: [LifecycleMediator.Token]) {
    state.withLock { state in
      state.mediator = mediator
      for (unit, token) in zip(units, tokens) { state.members[unit.name]?.token = token }
      var rest = tokens.dropFirst(units.count)
      for unit in units {
        for index in state.members[unit.name]?.companions.indices ?? 0..<0 {
          state.members[unit.name]?.companions[index].token = rest.popFirst()
        }
      }
    }
  }

  /// No health check goes on in a service that stops.
  func endChecks() {
    for member in state.withLock({ Array($0.members.values) }) {
      for companion in member.companions { companion.listener.end() }
    }
  }

  /// Puts a new configuration in force, inside a callback of the mediator: what is gone is stopped, and what is new
  /// started, in order. When a required program is not to be started, all is as it was before, and this throws why.
  ///
  /// - Returns: whose failures are over.
  @discardableResult
  func change(
    from old: Configuration, to new: Configuration, _ transition: LifecycleTransition
  ) async throws -> Set<String> {
    guard let mediator = state.withLock({ $0.mediator }) else { return [] }
    // The stop ends all that is there.
    if host.isStopping {
      replace(from: old, to: new)
      return []
    }
    let (members, present) = (state.withLock({ $0.members }), Set(mediator.tokens))
    let names = Set(new.units.map(\.name))
    let gone = old.units.filter { !names.contains($0.name) }
    // One whose start failed in an earlier reload is no member any more: it gets another chance.
    let newcomers: [Newcomer] = new.units.indices.compactMap { index in
      let member = members[new.units[index].name]
      let isMember = member?.token.map(present.contains) ?? false
      if isMember, member?.listener.hasFailed != true { return nil }
      return Newcomer(index: index, unit: new.units[index], listener: listener(for: new.units[index]))
    }
    let turn = UnitTurn(
      gone: gone.compactMap { members[$0.name]?.listener }, newcomers: newcomers.map(\.listener), host: host, log: log)
    let arrived = try await turn.take(transition)
    replace(from: old, to: new)
    await leave(gone, mediator)
    await enter(newcomers, new, mediator)
    return Set(arrived + gone.map(\.title))
  }

  private struct Newcomer {
    /// Its place in the configuration.
    var index: Int
    var unit: ConfiguredUnit
    var listener: UnitListener
  }

  /// Members no more: what they have to do is done.
  private func leave(_ units: [ConfiguredUnit], _ mediator: LifecycleMediator) async {
    for unit in units.reversed() {
      await removeCompanions(of: unit.name, from: mediator)
      let member = state.withLock { $0.members.removeValue(forKey: unit.name) }
      if let token = member?.token { await mediator.remove(token) }
      if case .program? = member?.listener { host.forget(unit.title) }
    }
  }

  private func enter(_ newcomers: [Newcomer], _ new: Configuration, _ mediator: LifecycleMediator) async {
    // The first programs bring what tells of them.
    if !new.programs.isEmpty, !mediator.snapshot.contains(where: { $0.name == host.status.name }) {
      _ = try? await mediator.add(host.status.optional())
    }
    for newcomer in newcomers {
      await removeCompanions(of: newcomer.unit.name, from: mediator)
      if let failed = state.withLock({ $0.members[newcomer.unit.name]?.token }) { await mediator.remove(failed) }
    }
    let present = Set(mediator.tokens)
    for newcomer in newcomers {
      await add(newcomer, before: follower(of: newcomer.index, in: new, present), to: mediator)
    }
    for unit in new.units { await removeCompanions(of: unit.name, but: unit.companions, from: mediator) }
    for (index, unit) in new.units.enumerated() { await addCompanions(of: unit, at: index, in: new, to: mediator) }
  }

  /// A changed unit takes its place: a hook runs nothing, a program in its own turn of the reload.
  func replace(from old: Configuration, to new: Configuration) {
    let before = Dictionary(old.units.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
    for unit in new.units {
      guard let earlier = before[unit.name], earlier.hasSameDefinition(as: unit) == false else { continue }
      let member = state.withLock { $0.members[unit.name] }
      member?.listener.replace(by: unit)
      let kinds = unit.companions
      for companion in member?.companions ?? [] where kinds.contains(companion.kind) {
        companion.listener.definitionChanged()
      }
      for key in earlier.fixedKeys(otherThanIn: unit) {
        log.log(.warning, "\(unit.title): \(key)= takes effect at the next start")
      }
    }
  }

  private func follower(
    of index: Int, in configuration: Configuration, _ present: Set<LifecycleMediator.Token>
  ) -> LifecycleMediator.Token? {
    let members = state.withLock({ $0.members })
    for unit in configuration.units[(index + 1)...] {
      if let token = members[unit.name]?.token, present.contains(token) { return token }
    }
    return nil
  }

  private func add(
    _ newcomer: Newcomer, before other: LifecycleMediator.Token?, to mediator: LifecycleMediator
  ) async {
    do throws(LifecycleError) {
      let token = try await mediator.add(newcomer.listener.entry, before: other)
      state.withLock { $0.members[newcomer.unit.name] = Member(listener: newcomer.listener, token: token) }
    } catch {
      // The stop of all has begun, and does not reach who is not in it.
      log.log(.debug, error.description)
      try? await newcomer.listener.leave()
    }
  }

  /// Those that are not there yet, each before those of the units that follow.
  private func addCompanions(
    of unit: ConfiguredUnit, at index: Int, in configuration: Configuration, to mediator: LifecycleMediator
  ) async {
    let members = state.withLock({ $0.members })
    guard let member = members[unit.name] else { return }
    let missing = unit.companions.filter { kind in !member.companions.contains { $0.kind == kind } }
    if missing.isEmpty { return }
    let followers = configuration.units[(index + 1)...].lazy.flatMap { members[$0.name]?.companions ?? [] }
    let follower = followers.compactMap(\.token).first
    for kind in missing {
      guard let companion = UnitCompanion(kind, of: member.listener, runner: runner, log: log) else { continue }
      do throws(LifecycleError) {
        let token = try await mediator.add(companion.entry, before: follower)
        let new = Companion(kind: kind, listener: companion, token: token)
        state.withLock { $0.members[unit.name]?.companions.append(new) }
      } catch {
        log.log(.debug, error.description)
      }
    }
  }

  /// - Parameter kept: the kinds of those that stay.
  private func removeCompanions(
    of name: String, but kept: [UnitCompanion.Kind] = [], from mediator: LifecycleMediator
  ) async {
    let gone = state.withLock { state in
      let all = state.members[name]?.companions ?? []
      state.members[name]?.companions = all.filter { kept.contains($0.kind) }
      return all.filter { !kept.contains($0.kind) }
    }
    for companion in gone {
      companion.listener.end()
      if let token = companion.token { await mediator.remove(token) }
    }
  }
}
