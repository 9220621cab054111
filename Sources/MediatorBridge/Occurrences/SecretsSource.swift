internal import Mediator
internal import MediatorLinux

/// Tells listeners that credentials can be read, were renewed, or are gone.
final class SecretsSource: OccurrenceSource {
  private struct State {
    var folder: FolderWatch?
    var marks: [String: FileMark] = [:]
    var look: EventSource?
    var telling = OneAtATime<LifecycleEvent>()
  }

  /// A renewal replaces one file after the other.
  private static let settling = Duration.milliseconds(100)
  /// From one look for a folder that is gone to the next.
  private static let absence = Duration.seconds(1)

  private let lifecycle: Lifecycle
  private let loop: EventLoop
  private let state = Locked(State())

  init(lifecycle: Lifecycle, loop: EventLoop) {
    self.lifecycle = lifecycle
    self.loop = loop
  }

  private var path: String? { lifecycle.context.start.credentialsDirectory }

  func open() {
    guard path != nil else { return }
    watch(reports: true)
    // Who comes now has not been told yet.
    state.withLock { $0.marks = [:] }
    look()
  }

  /// A folder that another was mounted over says nothing.
  func lookAgain() {
    guard path != nil else { return }
    watch(reports: true)
    look()
  }

  private func watch(reports: Bool) {
    guard let path else { return }
    do throws(LinuxError) {
      let folder = try FolderWatch(path, on: loop)
      try folder.start { [weak self] told in
        if told == .gone { self?.state.withLock { $0.folder = nil } }
        self?.lookSoon()
      }
      let before = state.withLock { state in
        defer { state.folder = folder }
        return state.folder
      }
      before?.cancel()
    } catch {
      if reports { lifecycle.hub.send(.sourceUnusable(.secrets, message: "\(path): \(error)")) }
    }
  }

  func close() {
    let (folder, look) = state.withLock { state in
      defer { (state.folder, state.look) = (nil, nil) }
      return (state.folder, state.look)
    }
    folder?.cancel()
    look?.cancel()
  }

  private func lookSoon() {
    if state.withLock({ $0.look != nil }) { return }
    let timer = loop.timer(after: Self.settling) { [weak self] in self?.look() }
    state.withLock { $0.look = timer }
  }

  /// The folder is gone, and may come again.
  private func lookLater() {
    let timer = loop.timer(after: Self.absence) { [weak self] in self?.look() }
    state.withLock { $0.look = timer }
  }

  private func look() {
    if state.withLock({ $0.folder == nil }) { watch(reports: false) }
    let marks = path.map(FileMark.all(in:)) ?? [:]
    let before = state.withLock { state in
      defer { (state.marks, state.look) = (marks, nil) }
      return state.marks
    }
    if path != nil, state.withLock({ $0.folder == nil }) { lookLater() }
    if let event = Self.news(before, marks), state.withLock({ $0.telling.came(event) }) { submit(event) }
  }

  /// What listeners are told when the files were these and are those; nil for nothing.
  static func news(_ before: [String: FileMark], _ now: [String: FileMark]) -> LifecycleEvent? {
    if before == now { return nil }
    return now.isEmpty ? .secretsWillBecomeUnavailable : .secretsDidBecomeAvailable
  }

  private func submit(_ event: LifecycleEvent) {
    lifecycle.submit(event, .system, .none) { [weak self] _ in
      guard let self else { return }
      if state.withLock({ $0.telling.ended(event) }) { loop.submit { self.submit(event) } }
    }
  }
}
