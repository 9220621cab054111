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

  /// Puts a new configuration in force, inside a callback of the mediator: what is gone gets its stop and what is new
  /// its start right after the post that is under way.
  func change(from old: Configuration, to new: Configuration) async {
    guard let mediator = state.withLock(\.mediator) else { return }
    replace(from: old, to: new)
    let names = Set(new.units.map(\.name))
    for unit in old.units.reversed() where !names.contains(unit.name) {
      await removeCheck(of: unit.name, from: mediator)
      let token = state.withLock { $0.members.removeValue(forKey: unit.name)?.token }
      if let token { await mediator.remove(token) }
    }
    // The first programs bring what tells of them.
    if old.programs.isEmpty, !new.programs.isEmpty, !mediator.snapshot.contains(where: { $0.name == host.name }) {
      _ = try? await mediator.add(host.optional())
    }
    // One whose start failed in an earlier reload is no member any more: it gets another chance.
    let present = Set(mediator.tokens)
    for (index, unit) in new.units.enumerated() {
      let isPresent = state.withLock { $0.members[unit.name]?.token.map(present.contains) ?? false }
      if !isPresent || !unit.checksHealth { await removeCheck(of: unit.name, from: mediator) }
      if !isPresent { await add(unit, before: follower(of: index, in: new, present), to: mediator) }
      if unit.checksHealth { await addCheck(of: unit.name, to: mediator) }
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
    _ unit: ConfiguredUnit, before other: LifecycleMediator.Token?, to mediator: LifecycleMediator
  ) async {
    let listener = listener(for: unit)
    do throws(LifecycleError) {
      let token = try await mediator.add(listener.entry, before: other)
      state.withLock { $0.members[unit.name] = Member(listener: listener, token: token) }
    } catch {
      log.log(.debug, error.description)
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
