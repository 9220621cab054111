internal import Mediator

/// Which hooks are listeners now, and how a new configuration changes that.
final class HookRoster: Sendable {
  private struct Member {
    var listener: HookListener
    var token: LifecycleMediator.Token?
    /// Only with On=health.
    var check: Check?
  }

  private struct Check {
    var listener: HookHealth
    var token: LifecycleMediator.Token?
  }

  private struct State {
    var members: [String: Member] = [:]
    weak var mediator: LifecycleMediator?
  }

  private let runner: HookRunner
  private let log: EventLog
  private let state = Locked(State())

  init(runner: HookRunner, log: EventLog) {
    self.runner = runner
    self.log = log
  }

  /// The hooks of the first configuration, in order, and then their health checks, for a mediator that is made next.
  func entries(for configuration: Configuration) -> [ListenerEntry] {
    var hooks: [ListenerEntry] = []
    var checks: [ListenerEntry] = []
    for hook in configuration.hooks {
      let listener = HookListener(hook.definition, runner: runner)
      hooks.append(listener.entry)
      var member = Member(listener: listener)
      if hook.checksHealth {
        let check = HookHealth(of: listener, runner: runner, log: log)
        checks.append(check.entry)
        member.check = Check(listener: check)
      }
      state.withLock { $0.members[hook.name] = member }
    }
    return hooks + checks
  }

  /// - Parameter tokens: of the entries for the first configuration, in order.
  func attach(to mediator: LifecycleMediator, hooks: [HookUnit], tokens: [LifecycleMediator.Token]) {
    state.withLock { state in
      state.mediator = mediator
      for (hook, token) in zip(hooks, tokens) { state.members[hook.name]?.token = token }
      for (hook, token) in zip(hooks.filter(\.checksHealth), tokens.dropFirst(hooks.count)) {
        state.members[hook.name]?.check?.token = token
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
    let names = Set(new.hooks.map(\.name))
    for hook in old.hooks.reversed() where !names.contains(hook.name) {
      await removeCheck(of: hook.name, from: mediator)
      let token = state.withLock { $0.members.removeValue(forKey: hook.name)?.token }
      if let token { await mediator.remove(token) }
    }
    // One whose start failed in an earlier reload is no member any more: it gets another chance.
    let present = Set(mediator.tokens)
    for (index, hook) in new.hooks.enumerated() {
      let isPresent = state.withLock { $0.members[hook.name]?.token.map(present.contains) ?? false }
      if !isPresent || !hook.checksHealth { await removeCheck(of: hook.name, from: mediator) }
      if !isPresent { await add(hook.definition, before: follower(of: index, in: new, present), to: mediator) }
      if hook.checksHealth { await addCheck(of: hook.name, to: mediator) }
    }
  }

  /// A changed hook takes its place and runs nothing.
  func replace(from old: Configuration, to new: Configuration) {
    let before = Dictionary(old.hooks.map { ($0.name, $0.definition) }, uniquingKeysWith: { first, _ in first })
    for hook in new.hooks {
      guard let earlier = before[hook.name], earlier != hook.definition else { continue }
      let member = state.withLock { $0.members[hook.name] }
      member?.listener.replace(by: hook.definition)
      if hook.checksHealth { member?.check?.listener.definitionChanged() }
      if earlier.isRequired != hook.isRequired {
        log.log(.warning, "\(hook.definition.title): Required= takes effect at the next start")
      }
      if earlier.after != hook.after {
        log.log(.warning, "\(hook.definition.title): After= takes effect at the next start")
      }
    }
  }

  private func follower(
    of index: Int, in configuration: Configuration, _ present: Set<LifecycleMediator.Token>
  ) -> LifecycleMediator.Token? {
    let members = state.withLock(\.members)
    for hook in configuration.hooks[(index + 1)...] {
      if let token = members[hook.name]?.token, present.contains(token) { return token }
    }
    return nil
  }

  private func add(
    _ hook: HookDefinition, before other: LifecycleMediator.Token?, to mediator: LifecycleMediator
  ) async {
    let listener = HookListener(hook, runner: runner)
    do throws(LifecycleError) {
      let token = try await mediator.add(listener.entry, before: other)
      state.withLock { $0.members[hook.name] = Member(listener: listener, token: token) }
    } catch {
      log.log(.debug, error.description)
    }
  }

  /// Unless there is one.
  private func addCheck(of name: String, to mediator: LifecycleMediator) async {
    guard let member = state.withLock({ $0.members[name] }), member.check == nil else { return }
    let check = HookHealth(of: member.listener, runner: runner, log: log)
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
