internal import Mediator
internal import MediatorLinux

/// One program as a listener of the lifecycle: its start is over when it is ready, and its stop when nothing of it is
/// left.
final class ProgramListener: RunningListener, ReloadListener {
  private struct State {
    /// nil until its start.
    var program: Program?
    var definition: Kept<ProgramDefinition>
    /// What a reload of the configuration puts in the definition's place.
    var next: Kept<ProgramDefinition>?
    /// What a reload has replaced, until it is certain.
    var previous: Kept<ProgramDefinition>?
    /// Its end means that the other definition does not come to life.
    var isReplacing = false
    /// A reload that ran out of time did not wait for it; the next one does.
    var comingBack: LeavableTask<Void>?
    /// Whose progress it is.
    var start: LifecycleTransition?
    var turn = EarlyTurn()
    /// It has ended for good, and not well.
    var hasFailed = false
  }

  let name: String
  private let host: ProgramHost
  private let state: Locked<State>
  /// How its processes ended for good by themselves.
  private let ends: AsyncStream<ProgramEnd>
  private let over: AsyncStream<ProgramEnd>.Continuation

  init(_ definition: Kept<ProgramDefinition>, host: ProgramHost) {
    name = definition.wrappedValue.title
    self.host = host
    let (ends, over) = AsyncStream<ProgramEnd>.makeStream()
    self.ends = ends
    self.over = over
    state = Locked(State(definition: definition))
    host.listen(
      to: name,
      ProgramHost.Listener(
        changed: { [weak self] state in self?.state.withLock({ $0.start })?.report(progress: state.text) },
        over: { [weak self] end in
          if self?.state.withLock({ $0.isReplacing }) != true { over.yield(end) }
        }))
  }

  var entry: ListenerEntry { isRequired ? required() : optional() }
  var definition: ProgramDefinition { state.withLock({ $0.definition.wrappedValue }) }
  private var isRequired: Bool { state.withLock({ $0.definition.wrappedValue.isRequired }) }
  var program: Program? { state.withLock({ $0.program }) }

  /// In the next step of the reload; runs nothing.
  func replace(by definition: Kept<ProgramDefinition>) { state.withLock { $0.next = definition } }

  // MARK: Start and stop

  func didFinishLaunching(_ transition: LifecycleTransition) async throws {
    if let arrival = state.withLock({ $0.turn.takeArrival() }) { return try arrival.get() }
    try await start(transition)
  }

  private func start(_ transition: LifecycleTransition?) async throws {
    state.withLock { ($0.start, $0.hasFailed) = (transition, false) }
    defer { state.withLock { $0.start = nil } }
    let program = try host.makeProgram(state.withLock({ $0.definition }))
    state.withLock { $0.program = program }
    if let reason = await program.start() {
      state.withLock { $0.hasFailed = true }
      throw await failure(reason)
    }
  }

  /// Goes on until the program has ended for good, which is the end of a required one's service.
  func run() async throws {
    for await end in ends { if let failure = await failure(after: end) { throw failure } }
  }

  /// Apart from `run`, whose frame each program keeps as long as it runs.
  private func failure(after end: ProgramEnd) async -> LifecycleError? {
    guard end.isFailure else {
      // One that has done its work ends the service, which is no failure.
      if isRequired { host.end(with: end, of: name) }
      return nil
    }
    host.note(end, of: name, isTheEnd: isRequired)
    state.withLock { $0.hasFailed = true }
    return await failure(end.text)
  }

  func endService() { host.requestStop() }

  func willTerminate(_ transition: LifecycleTransition) async throws {
    if !state.withLock({ $0.turn.hasLeft }) { await stop() }
  }

  private func stop() async {
    guard let program else { return }
    host.note(await program.stop(), of: name)
  }

  /// Whether the next reload is to try it again.
  var hasFailed: Bool { state.withLock({ $0.hasFailed }) }

  /// With what it said last of its errors.
  private func failure(_ reason: String) async -> LifecycleError {
    if isRequired, let error = await program?.busError { host.tell(busError: error) }
    return LifecycleError(
      .listenerFailed, listener: name, message: reason, advice: "see the log for what \(name) printed",
      errno: await program?.errno)
  }

  // MARK: The turn of a reload

  func arrive(_ transition: LifecycleTransition) async throws {
    do {
      try await start(transition)
      state.withLock { $0.turn.arrival = .success(()) }
    } catch {
      state.withLock { $0.turn.arrival = .failure(error) }
      throw error
    }
  }

  func leave() async {
    state.withLock { $0.turn.hasLeft = true }
    await stop()
  }

  /// A required one that does not come back is the end of the service.
  func comeBack() async throws {
    state.withLock { $0.turn.hasLeft = false }
    do {
      try await start(nil)
    } catch {
      over.yield(.failed("it does not come back: \(ListenerFailure.words(of: error))", nil))
      throw error
    }
  }

  // MARK: Reload

  func prepareReload(_ transition: LifecycleTransition) async throws {
    guard let comingBack = state.withLock({ $0.comingBack }) else { return }
    transition.report(progress: "waiting for \(name), which an earlier reload brings back")
    guard await comingBack.ending(within: nil, sleep: FirstThread.sleep) != nil else { throw CancellationError() }
    state.withLock { $0.comingBack = nil }
  }

  func reload(_ prepared: Void, _ transition: LifecycleTransition) async throws {
    let (program, definition, next) = state.withLock { state in
      defer { state.next = nil }
      return (state.program, state.definition, state.next)
    }
    guard let program else { return }
    let reason: String?
    if definition.wrappedValue.reload == .overlap {
      reason = try await overlap(program, next ?? definition)
    } else if let next {
      reason = await replace(in: program, by: next)
      if reason != nil { await bringBack(definition, in: program) }
    } else {
      reason = await program.reload()
    }
    if let reason { throw await failure(reason) }
    if let next { state.withLock { ($0.definition, $0.previous) = (next, definition) } }
  }

  /// Whoever throws has to be as before; a reload that is out of time does not wait for that.
  private func bringBack(_ definition: Kept<ProgramDefinition>, in program: Program) async {
    let comingBack = LeavableTask(on: FirstThread.executor) { [self] in
      guard let trouble = await replace(in: program, by: definition) else { return }
      host.log.log(.error, "program \(name): the earlier definition does not come back: \(trouble)")
      over.yield(.failed(trouble, nil))
    }
    if await comingBack.ending(within: nil, sleep: FirstThread.sleep) == nil {
      state.withLock { $0.comingBack = comingBack }
    }
  }

  func revertReload(_ transition: LifecycleTransition) async throws {
    let previous: Kept<ProgramDefinition>? = state.withLock { state in
      guard let previous = state.previous else { return nil }
      (state.definition, state.previous) = (previous, nil)
      return previous
    }
    guard let previous, let program else { return }
    if let reason = await replace(in: program, by: previous) {
      over.yield(.failed(reason, nil))
      throw await failure(reason)
    }
  }

  /// While it is replaced its end is no end of the service; but if it is the end after all, that is told.
  private func replace(in program: Program, by definition: Kept<ProgramDefinition>) async -> String? {
    if host.isStopping {
      await program.note(definition)
      return nil
    }
    state.withLock { $0.isReplacing = true }
    let reason = await program.replace(by: definition)
    state.withLock { $0.isReplacing = false }
    return reason
  }

  /// The new copy is to be ready before the old one ends; both have the same sockets.
  private func overlap(_ old: Program, _ definition: Kept<ProgramDefinition>) async throws -> String? {
    let new = try host.makeProgram(definition, counts: false)
    if let reason = await new.start() {
      _ = await new.stop()
      return "the new copy: \(reason)"
    }
    state.withLock { $0.program = new }
    await host.makeCurrent(new)
    _ = await old.stop()
    return nil
  }
}
