internal import Foundation

/// A listener of commands that run once, in order, when the service starts, and are undone in reverse when it ends.
///
/// A required step that fails fails the plan: what was done is undone and the error names the step. An optional one
/// that fails is reported as an optional listener of the name `PLAN.STEP` would be, and the plan goes on. When the
/// start is cancelled, no further step begins and what was done is undone.
///
/// Steps run where Swift runs tasks, not on the thread of the notifications: they must not block for long. One that
/// does not end when it is cancelled is left behind. If it succeeds all the same, later, its `undo` is called then.
///
/// A plan remembers what it has done: give it to one lifecycle only.
public struct StartupPlan: LifecycleListener {
  /// How log lines, STATUS and errors call the plan.
  public let name: String
  private let sleep: LeavableTask<Void>.Sleep
  private var steps: [Step] = []
  private var done = Shared<[Undo]>([])

  private struct Step: Sendable {
    var name: String
    var timeout: Duration?
    var isRequired: Bool
    var undo: Undo
    var run: @Sendable (LifecycleContext) async throws -> Void
  }

  private struct Undo: Sendable {
    var body: (@Sendable () async -> Void)?
  }

  private struct Fault: Error {
    enum Kind { case failed, timedOut, cancelled }
    var kind: Kind
    var error: LifecycleError
  }

  /// How long a step that was cancelled may take to return before it is left behind; less than what a whole call has,
  /// `LifecycleTimeouts.grace(in:)`, so that there is time to undo the others before the plan itself is left behind.
  static let grace = Duration.milliseconds(100)

  /// A plan without steps.
  public init(_ name: String) {
    // Not a clock: this module has none. `Task.sleep` asks the runtime to be woken, as any listener may.
    self.init(name) { try await Task.sleep(for: $0) }
  }

  init(_ name: String, sleep: @escaping LeavableTask<Void>.Sleep) {
    self.name = name
    self.sleep = sleep
  }

  /// A plan that has one more step, at its end.
  ///
  /// - Parameters:
  ///   - name: how errors, reports and STATUS call the step.
  ///   - timeout: how long it may take; without one the limits of the start count alone.
  ///   - required: whether its failure fails the plan.
  ///   - undo: takes back what `run` did; called once, and only if `run` succeeded. It is not cancelled.
  ///   - run: the work; it is cancelled when its time is over.
  public func step(
    _ name: String, timeout: Duration? = nil, required: Bool = true, undo: (@Sendable () async -> Void)? = nil,
    _ run: @escaping @Sendable (LifecycleContext) async throws -> Void
  ) -> StartupPlan {
    var plan = self
    plan.steps.append(
      Step(name: name, timeout: timeout, isRequired: required, undo: Undo(body: undo), run: run))
    plan.done = Shared([])
    return plan
  }

  /// Runs the steps.
  ///
  /// - Throws: `.listenerFailed` in the name of the required step that failed, with ETIMEDOUT if its time was over;
  ///   `.cancelled` when the start was cancelled.
  public func didFinishLaunching(_ transition: LifecycleTransition) async throws {
    for (index, step) in steps.enumerated() {
      do throws(Fault) {
        guard !Task.isCancelled else { throw cancelled(before: step) }
        transition.report(progress: "\(index + 1)/\(steps.count) \(step.name)")
        try await perform(step, transition.context)
        done.withLock { $0.append(step.undo) }
      } catch {
        if step.isRequired || error.kind == .cancelled {
          await undoAll()
          throw error.error
        }
        var failure = ListenerFailure(
          listener: fullName(step), event: transition.event, isRequired: false, error: error.error)
        failure.isTimeout = error.kind == .timedOut
        transition.add(failure)
      }
    }
  }

  /// Undoes what was done and is not undone yet, in reverse.
  public func willTerminate(_ transition: LifecycleTransition) async throws { await undoAll() }

  private func undoAll() async {
    while let undo = done.withLock({ $0.popLast() }) { await Self.call(undo) }
  }

  /// On a task of its own: what was opened has to be closed, also when the start was cancelled.
  private static func call(_ undo: Undo) async {
    guard let body = undo.body else { return }
    await Task { await body() }.value
  }
}

// MARK: - One step

extension StartupPlan {
  private func perform(_ step: Step, _ context: LifecycleContext) async throws(Fault) {
    let work = LeavableTask<Void> {
      try await step.run(context)
    } late: { ending in
      if case .success = ending { await Self.call(step.undo) }
    }
    if let ending = await work.ending(within: step.timeout, sleep: sleep) { return try settle(ending, of: step) }
    let isCancelled = Task.isCancelled
    work.cancel()
    let ending = await work.ending(within: Self.grace, sleep: sleep, heedsCancellation: false) ?? work.leaveBehind()
    if isCancelled {
      guard let ending else { throw cancelled(in: step) }
      return try settle(ending, of: step)
    }
    // Too late is too late, also for one that succeeded in the time of grace.
    if case .success = ending { await Self.call(step.undo) }
    throw timedOut(step)
  }

  private func settle(_ ending: LeavableTask<Void>.Ending, of step: Step) throws(Fault) {
    guard case .failure(let error) = ending else { return }
    // Who is cancelled may throw what it likes: it was asked to.
    if Task.isCancelled { throw cancelled(in: step) }
    let failure = ListenerFailure(
      listener: fullName(step), event: .didFinishLaunching, isRequired: step.isRequired, error: error)
    throw fault(.failed, step, failure.message, "mend the cause and start again", errno: failure.errno)
  }

  private func fullName(_ step: Step) -> String { "\(name).\(step.name)" }

  private func timedOut(_ step: Step) -> Fault {
    fault(
      .timedOut, step, "timed out after \(step.timeout ?? .zero)",
      "give the step more time, or find out what it waits for", errno: POSIXErrorCode.ETIMEDOUT.rawValue)
  }

  private func cancelled(in step: Step) -> Fault { fault(.cancelled, step, "cancelled") }

  private func cancelled(before step: Step) -> Fault { fault(.cancelled, step, "cancelled before it began") }

  private func fault(
    _ kind: Fault.Kind, _ step: Step, _ message: String, _ advice: String = "", errno: Int32? = nil
  ) -> Fault {
    let code = kind == .cancelled ? LifecycleError.Code.cancelled : .listenerFailed
    let error = LifecycleError(code, listener: fullName(step), message: message, advice: advice, errno: errno)
    return Fault(kind: kind, error: error)
  }
}
