internal import Mediator
internal import MediatorBridge

/// The configuration itself as the first listener: reads it again in a reload, and runs the hooks of the reload.
///
/// Everything runs from the new files, and they come into force only when all of it has passed.
final class ConfigurationListener: ReloadListener {
  static let name = "configuration"

  private struct State {
    var current: Configuration
    /// What the last reload replaced, until it is certain.
    var previous: Configuration?
    /// What an earlier reload has left behind: hooks that do not end, or that are being reverted.
    var leftover: Leftover?
  }

  private struct Leftover: Sendable { var ended: @Sendable () async -> Bool }

  var name: String { Self.name }
  private let load: @Sendable () -> Configuration
  private let runner: HookRunner
  private let roster: UnitRoster
  private let log: EventLog
  /// `--log-level` goes before `LogLevel=`.
  private let fixedLogLevel: LogLevel?
  /// What each reload has changed, for whoever asked for it.
  let changes = ReloadChanges()
  private let state: Locked<State>
  private let lifecycle = Locked<Lifecycle?>(nil)

  init(
    _ configuration: Configuration, load: @escaping @Sendable () -> Configuration, runner: HookRunner,
    roster: UnitRoster, log: EventLog, fixedLogLevel: LogLevel?
  ) {
    self.load = load
    self.runner = runner
    self.roster = roster
    self.log = log
    self.fixedLogLevel = fixedLogLevel
    state = Locked(State(current: configuration))
  }

  /// Whose time limits are the configuration's.
  func attach(to lifecycle: Lifecycle) { self.lifecycle.withLock { $0 = lifecycle } }

  // MARK: ReloadListener

  func prepareReload(_ transition: LifecycleTransition) async throws -> Configuration {
    // Two reloads at once would undo each other's work.
    if let leftover = state.withLock({ $0.leftover }) {
      transition.report(progress: "waiting for the hooks of an earlier reload")
      guard await leftover.ended() else { throw CancellationError() }
      state.withLock { $0.leftover = nil }
    }
    return try await leavable(transition) { try await self.prepare() }
  }

  private func prepare() async throws -> Configuration {
    let new = load()
    log.log(new.findings.all)
    if let error = Self.refusal(of: new) { throw error }
    for hook in new.hooks(on: .prepareReload, reason: .reload) { try await run(hook, on: .prepareReload) }
    return new
  }

  func reload(_ new: Configuration, _ transition: LifecycleTransition) async throws {
    try await leavable(transition) { try await self.commit(new, transition) }
  }

  private func commit(_ new: Configuration, _ transition: LifecycleTransition) async throws {
    var done: [HookUnit] = []
    do {
      for hook in new.hooks(on: .reload, reason: .reload) {
        try await run(hook, on: .reload)
        done.append(hook)
      }
      try Task.checkCancellation()
      let old = state.withLock({ $0.current })
      let mended = try await roster.change(from: old, to: new, transition)
      lifecycle.withLock({ $0 })?.mended(mended)
    } catch {
      await revert(done.map(\.name), of: new)
      throw error
    }
    let old = state.withLock { state in
      defer { (state.current, state.previous) = (new, state.current) }
      return state.current
    }
    comeIntoForce(new.settings, old.settings)
    let generation = (lifecycle.withLock({ $0 })?.generation ?? 0) + 1
    changes.note(ControlFacts.Changes(from: old, to: new), generation: generation)
  }

  /// A changed program has refused the reload, or a stop cancelled it, after this listener's part had returned.
  func revertReload(_ transition: LifecycleTransition) async throws {
    try await leavable(transition) { try await self.goBack(transition) }
  }

  private func goBack(_ transition: LifecycleTransition) async throws {
    let (new, old) = state.withLock { state in
      defer { if let previous = state.previous { (state.current, state.previous) = (previous, nil) } }
      return (state.current, state.previous)
    }
    guard let old else { return }
    await revert(new.hooks(on: .reload, reason: .reload).map(\.name), of: new)
    try await roster.change(from: new, to: old, transition)
    comeIntoForce(old.settings, new.settings)
  }

  // MARK: Steps

  /// How long hooks that were cancelled for their time may take to end, within what the lifecycle gives a listener.
  private static let grace = Duration.milliseconds(150)

  /// Returns when the work has ended; when the time of the reload is over, also if it has not: what goes on is waited
  /// for by the next reload, and this listener takes part in that.
  private func leavable<Value: Sendable>(
    _ transition: LifecycleTransition, _ body: @escaping @Sendable () async throws -> Value
  ) async throws -> Value {
    let work = LeavableTask(on: FirstThread.executor, body)
    var ending = await work.ending(within: nil, sleep: FirstThread.sleep)
    if ending == nil {
      work.cancel()
      let isOverdue = transition.control == .abandon || transition.control == .passOver
      ending = await work.ending(
        within: isOverdue ? Self.grace : nil, sleep: FirstThread.sleep, heedsCancellation: false)
    }
    if let ending { return try ending.get() }
    state.withLock { $0.leftover = Leftover { await work.ending(within: nil, sleep: FirstThread.sleep) != nil } }
    throw LifecycleError(.cancelled, listener: name, message: "the hooks of the reload do not end")
  }

  /// The first fault in words, and how many more there are.
  static func refusal(of configuration: Configuration) -> LifecycleError? {
    let faults = configuration.faults
    guard let first = faults.first else { return nil }
    let others = faults.count > 1 ? " (and \(faults.count - 1) more)" : ""
    return LifecycleError(
      .listenerFailed, message: first.description + others, advice: "lifecycled check names every fault")
  }

  private func run(_ hook: HookUnit, on event: HookEvent) async throws {
    do throws(LifecycleError) {
      try await runner.run(hook.definition, on: event, reason: .reload)
    } catch {
      if hook.isRequired || Task.isCancelled { throw error }
      log.log(.warning, "\(hook.definition.title) failed in \(event.rawValue): \(error.message)")
    }
  }

  /// In reverse, whole, and also when the task was cancelled: what was changed has to be changed back.
  private func revert(_ names: [String], of configuration: Configuration) async {
    let hooks = configuration.hooks(on: .revertReload, reason: .reload).filter { names.contains($0.name) }
    await Task(executorPreference: FirstThread.executor) { [runner, log] in
      for hook in hooks.reversed() {
        do throws(LifecycleError) {
          try await runner.run(hook.definition, on: .revertReload, reason: .reload)
        } catch {
          log.log(.error, "\(hook.definition.title) failed in revert-reload: \(error.message)")
        }
      }
    }.value
  }

  private func comeIntoForce(_ new: LifecycledSettings, _ old: LifecycledSettings) {
    // What was said of it while it runs stays until the file says otherwise.
    if fixedLogLevel == nil, new.logLevel != old.logLevel { log.limit(to: new.logLevel) }
    lifecycle.withLock({ $0 })?.timeouts = BridgeSettings(new).timeouts
    for key in old.fixedKeys(otherThanIn: new) { log.log(.warning, "\(key)= takes effect at the next start") }
  }
}
