internal import Mediator
internal import MediatorLinux

/// Tells listeners that credentials can be read, were renewed, or are gone.
final class SecretsSource: OccurrenceSource {
  private struct State {
    var folder: FolderWatch?
    var marks: [String: FileMark] = [:]
  }

  /// From one look for a folder that is gone to the next.
  private static let absence = Duration.seconds(1)

  private let lifecycle: Lifecycle
  private let loop: EventLoop
  /// A renewal replaces one file after the other.
  private let settled: SettledLook
  private let teller: NewsTeller<LifecycleEvent>
  private let state = Locked(State())

  init(lifecycle: Lifecycle, loop: EventLoop) {
    self.lifecycle = lifecycle
    self.loop = loop
    settled = SettledLook(on: loop)
    teller = NewsTeller(on: loop) { event, ended in lifecycle.submit(event, .system, .none) { _ in ended() } }
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
    let folder = state.withLock { state in
      defer { state.folder = nil }
      return state.folder
    }
    folder?.cancel()
    settled.cancel()
  }

  private func lookSoon() { settled.soon { [weak self] in self?.look() } }

  private func look() {
    if state.withLock({ $0.folder == nil }) { watch(reports: false) }
    let marks = path.map(FileMark.all(in:)) ?? [:]
    let (before, isGone) = state.withLock { state in
      defer { state.marks = marks }
      return (state.marks, state.folder == nil)
    }
    // It may come again.
    if isGone { settled.soon(after: Self.absence) { [weak self] in self?.look() } }
    if let event = Self.news(before, marks) { teller.tell(event) }
  }

  /// What listeners are told when the files were these and are those; nil for nothing.
  static func news(_ before: [String: FileMark], _ now: [String: FileMark]) -> LifecycleEvent? {
    if before == now { return nil }
    return now.isEmpty ? .secretsWillBecomeUnavailable : .secretsDidBecomeAvailable
  }
}
