internal import Mediator

/// Which hooks are listeners now, and how a new configuration changes that.
final class HookRoster: Sendable {
  private struct Member {
    var listener: HookListener
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

  /// The hooks of the first configuration, in order, for a mediator that is made next.
  func entries(for configuration: Configuration) -> [ListenerEntry] {
    configuration.hooks.map { hook in
      let listener = HookListener(hook.definition, runner: runner)
      state.withLock { $0.members[hook.name] = Member(listener: listener) }
      return listener.entry
    }
  }

  /// - Parameter tokens: of the hooks of the first configuration, in order.
  func attach(to mediator: LifecycleMediator, hooks: [HookUnit], tokens: [LifecycleMediator.Token]) {
    state.withLock { state in
      state.mediator = mediator
      for (hook, token) in zip(hooks, tokens) { state.members[hook.name]?.token = token }
    }
  }

  /// Puts a new configuration in force, inside a callback of the mediator: what is gone gets its stop and what is new
  /// its start right after the post that is under way.
  func change(from old: Configuration, to new: Configuration) async {
    guard let mediator = state.withLock(\.mediator) else { return }
    replace(from: old, to: new)
    let names = Set(new.hooks.map(\.name))
    for hook in old.hooks.reversed() where !names.contains(hook.name) {
      let token = state.withLock { $0.members.removeValue(forKey: hook.name)?.token }
      if let token { await mediator.remove(token) }
    }
    // One whose start failed in an earlier reload is no member any more: it gets another chance.
    let present = Set(mediator.tokens)
    for (index, hook) in new.hooks.enumerated() {
      let isPresent = state.withLock { $0.members[hook.name]?.token.map(present.contains) ?? false }
      if !isPresent { await add(hook.definition, before: follower(of: index, in: new, present), to: mediator) }
    }
  }

  /// A changed hook takes its place and runs nothing.
  func replace(from old: Configuration, to new: Configuration) {
    let before = Dictionary(old.hooks.map { ($0.name, $0.definition) }, uniquingKeysWith: { first, _ in first })
    for hook in new.hooks {
      guard let earlier = before[hook.name], earlier != hook.definition else { continue }
      state.withLock(\.members)[hook.name]?.listener.replace(by: hook.definition)
      if earlier.isRequired != hook.isRequired {
        log.log(.warning, "\(hook.definition.title): Required= takes effect at the next start")
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
}
