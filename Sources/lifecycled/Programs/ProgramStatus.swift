internal import Mediator

/// What STATUS and the scenes tell of the programs.
final class ProgramStatus: StatusReporting, SceneListener {
  private static let kind = "program"

  private struct State {
    /// In order of their first sign of life.
    var order: [String] = []
    var states: [String: ProgramState] = [:]
    var lifecycle: Lifecycle?
    var isUpdating = false
  }

  let name = "programs"
  let kinds: Set<String> = [ProgramStatus.kind]
  /// Whether there is one program alone, which is then the service itself.
  private let isAlone: Bool
  private let state = Locked(State())
  private let moves: AsyncStream<(String, ProgramState.Place)>.Continuation
  private let moving: AsyncStream<(String, ProgramState.Place)>

  init(isAlone: Bool) {
    self.isAlone = isAlone
    (moving, moves) = AsyncStream<(String, ProgramState.Place)>.makeStream()
  }

  func attach(to lifecycle: Lifecycle) {
    state.withLock { $0.lifecycle = lifecycle }
    Task.detached(executorPreference: FirstThread.executor) { [moving] in
      for await (title, place) in moving { await Self.move(title, place, in: lifecycle) }
    }
  }

  /// Where a program stands now; false when that is no news.
  func changed(_ title: String, _ new: ProgramState) -> Bool {
    let (before, lifecycle) = state.withLock { state in
      if state.states[title] == nil { state.order.append(title) }
      defer { state.states[title] = new }
      return (state.states[title], state.lifecycle)
    }
    guard before != new else { return false }
    if before?.place != new.place { moves.yield((title, new.place)) }
    if before?.isWell ?? true != new.isWell { lifecycle?.healthChanged(of: title) }
    updateStatus()
    return true
  }

  func forget(_ title: String) {
    state.withLock { state in
      state.order.removeAll { $0 == title }
      state.states[title] = nil
    }
    updateStatus()
  }

  /// Soon: a program may say something new a thousand times a second.
  private func updateStatus() {
    let isDue = state.withLock { state in
      defer { state.isUpdating = true }
      return !state.isUpdating
    }
    guard isDue else { return }
    Task.detached(executorPreference: FirstThread.executor) { [self] in
      try? await FirstThread.sleep(.milliseconds(50))
      let lifecycle = state.withLock { state in
        state.isUpdating = false
        return state.lifecycle
      }
      lifecycle?.updateStatus()
    }
  }

  // MARK: What it is asked as a listener

  var status: String {
    let (order, states) = state.withLock { ($0.order, $0.states) }
    if isAlone, let only = order.first.flatMap({ states[$0] }) {
      return only.place == .ready ? only.detail : only.text
    }
    return order.compactMap { title in states[title].map { "\(title) \($0.text)" } }.joined(separator: ", ")
  }

  func scene(_ scene: LifecycleScene, _ event: LifecycleScene.Event, _ transition: LifecycleTransition) async throws {}

  private static func move(_ title: String, _ place: ProgramState.Place, in lifecycle: Lifecycle) async {
    let scene = lifecycle.scenes.first { $0.id == title && $0.kind == kind }
    switch place {
    case .ready:
      if let scene { return await scene.enterForeground() }
      // Where no scene connects any more, there is nobody to tell.
      _ = try? await lifecycle.connect(scene: title, kind: kind)
    case .reloading, .stopping: await scene?.enterBackground()
    case .ended, .failed, .restarting: await scene?.disconnect()
    case .waiting, .starting: break
    }
  }
}
