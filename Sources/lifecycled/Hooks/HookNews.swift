internal import Mediator

/// What the listeners of a hook that are told of news of the machine have in common.
struct HookNews: Sendable {
  private let listener: HookListener
  private let runner: HookRunner

  /// - Parameter listener: the hook's own, which knows its definition.
  init(of listener: HookListener, runner: HookRunner) {
    self.listener = listener
    self.runner = runner
  }

  var name: String { listener.name }

  var isRequired: Bool { listener.definition.isRequired }

  /// Runs the commands, unless the hook's own start has failed.
  ///
  /// - Parameter facts: variables of this event.
  func run(_ event: HookEvent, _ transition: LifecycleTransition, _ facts: [String: String]) async throws {
    let hook = listener.definition
    guard listener.isUp, let reason = HookReason(rawValue: transition.reason.rawValue),
      hook.runs(on: event, reason: reason)
    else { return }
    try await runner.run(hook, on: event, reason: reason, facts: facts)
  }
}

/// A listener beside the hook's own that tells it of one kind of news.
protocol HookNewsListener: LifecycleListener {
  var news: HookNews { get }
}

extension HookNewsListener {
  var name: String { news.name }
  var entry: ListenerEntry { news.isRequired ? required() : optional() }
}
