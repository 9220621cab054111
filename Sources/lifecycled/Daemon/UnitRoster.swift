internal import Mediator

/// Which hooks and programs are listeners now, and how a new configuration changes that.
final class UnitRoster: Sendable {
  private struct Member {
    var listener: UnitListener
    var token: LifecycleMediator.Token?
    /// Only of a unit whose health is checked.
    var check: Check?
  }

  private struct Check {
    var listener: UnitCheck
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

  /// The units of the first configuration, in order, and then their health checks, for a mediator that is made next.
  func entries(for configuration: Configuration) -> [ListenerEntry] {
    var entries: [ListenerEntry] = []
    var checks: [ListenerEntry] = []
    for unit in configuration.units {
      let listener = listener(for: unit)
      entries.append(listener.entry)
      var member = Member(listener: listener)
      if unit.checksHealth {
        let check = check(of: listener)
        checks.append(check.entry)
        member.check = Check(listener: check)
      }
      state.withLock { $0.members[unit.name] = member }
    }
    return entries + checks
  }

  private func listener(for unit: ConfiguredUnit) -> UnitListener {
    switch unit {
    case .hook(let hook): .hook(HookListener(hook.definition, runner: runner))
    case .program(let program): .program(ProgramListener(program.definition, host: host))
    }
  }

  private func check(of listener: UnitListener) -> UnitCheck {
    switch listener {
    case .hook(let hook): .hook(HookHealth(of: hook, runner: runner, log: log))
    case .program(let program): .program(ProgramHealth(of: program))
    }
  }

  /// - Parameter tokens: of the entries for the first configuration, in order.
  func attach(to mediator: LifecycleMediator, units: [ConfiguredUnit], tokens: [LifecycleMediator.Token]) {
    state.withLock { state in
      state.mediator = mediator
      for (unit, token) in zip(units, tokens) { state.members[unit.name]?.token = token }
      for (unit, token) in zip(units.filter(\.checksHealth), tokens.dropFirst(units.count)) {
        state.members[unit.name]?.check?.token = token
      }
    }
  }

  /// No health check goes on in a service that stops.
  func endChecks() {
    for member in state.withLock({ Array($0.members.values) }) { member.check?.listener.end() }
  }

  /// Puts a new configuration in force, inside a callback of the mediator: what is gone is stopped, and what is new
  /// started, in order. When a required program is not to be started, all is as it was before, and this throws why.
  ///
  /// - Returns: whose failures are over.
  @discardableResult
  func change(
    from old: Configuration, to new: Configuration, _ transition: LifecycleTransition
  ) async throws -> Set<String> {
    guard let mediator = state.withLock(\.mediator) else { return [] }
    // The stop ends all that is there.
    if host.isStopping {
      replace(from: old, to: new)
      return []
    }
    let (members, present) = (state.withLock(\.members), Set(mediator.tokens))
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
      await removeCheck(of: unit.name, from: mediator)
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
      await removeCheck(of: newcomer.unit.name, from: mediator)
      if let failed = state.withLock({ $0.members[newcomer.unit.name]?.token }) { await mediator.remove(failed) }
    }
    let present = Set(mediator.tokens)
    for newcomer in newcomers {
      await add(newcomer, before: follower(of: newcomer.index, in: new, present), to: mediator)
    }
    for unit in new.units {
      if unit.checksHealth {
        await addCheck(of: unit.name, to: mediator)
      } else {
        await removeCheck(of: unit.name, from: mediator)
      }
    }
  }

  /// A changed unit takes its place: a hook runs nothing, a program in its own turn of the reload.
  func replace(from old: Configuration, to new: Configuration) {
    let before = Dictionary(old.units.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
    for unit in new.units {
      guard let earlier = before[unit.name], earlier.hasSameDefinition(as: unit) == false else { continue }
      let member = state.withLock { $0.members[unit.name] }
      member?.listener.replace(by: unit)
      if unit.checksHealth { member?.check?.listener.definitionChanged() }
      for key in earlier.fixedKeys(otherThanIn: unit) {
        log.log(.warning, "\(unit.title): \(key)= takes effect at the next start")
      }
    }
  }

  private func follower(
    of index: Int, in configuration: Configuration, _ present: Set<LifecycleMediator.Token>
  ) -> LifecycleMediator.Token? {
    let members = state.withLock(\.members)
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

  /// Unless there is one.
  private func addCheck(of name: String, to mediator: LifecycleMediator) async {
    guard let member = state.withLock({ $0.members[name] }), member.check == nil else { return }
    let check = check(of: member.listener)
    do throws(LifecycleError) {
      let token = try await mediator.add(check.entry)
      state.withLock { $0.members[name]?.check = Check(listener: check, token: token) }
    } catch {
      log.log(.debug, error.description)
    }
  }

  private func removeCheck(of name: String, from mediator: LifecycleMediator) async {
    let check = state.withLock { state in
      defer { state.members[name]?.check = nil }
      return state.members[name]?.check
    }
    check?.listener.end()
    if let token = check?.token { await mediator.remove(token) }
  }
}
