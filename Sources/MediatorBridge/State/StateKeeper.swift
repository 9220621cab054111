internal import Dispatch
internal import Glibc
internal import Mediator
internal import MediatorLinux

/// Keeps what listeners hand over where the next run finds it: in the manager's descriptor store, which a crash and a
/// restart leave alone, and in a file, which outlives also stop and start.
///
/// Work that waits, for the disk or for the manager, is done one after the other on a queue of its own.
final class StateKeeper: Sendable {
  private struct State {
    var sequence: UInt64
    /// Whether this run has left its mark, and how it stands.
    var hasEnded: Bool?
    /// How many writings wait or are under way.
    var open = 0
  }

  /// How long the end waits for what is being kept, and what the manager is asked to wait for it, and for what is said
  /// after it.
  private static let lastPatience = Duration.seconds(2)
  private static let lastExtension = Duration.seconds(5)

  private let places: Inheritance.Places
  private let lock: Locked<HeldDescriptors?>
  private let boot: String
  private let program: String
  private let store: StateStore
  private let voice: ManagerVoice
  private let loop: EventLoop
  private let lifecycle: Lifecycle
  /// Made when something is to be kept: mostly nothing is.
  private let madeQueue = Locked<DispatchQueue?>(nil)
  private let state: Locked<State>

  /// - Parameter room: how many places of the manager's store nobody but state has; nil when it does not say.
  init(
    _ inheritance: Inheritance, voice: ManagerVoice, loop: EventLoop, lifecycle: Lifecycle,
    room: @escaping @Sendable () -> Int?
  ) {
    places = inheritance.places
    lock = Locked(inheritance.lock)
    boot = inheritance.boot
    program = inheritance.program
    store = StateStore(voice, stored: inheritance.storedStates, room: room)
    self.voice = voice
    self.loop = loop
    self.lifecycle = lifecycle
    state = Locked(State(sequence: inheritance.newest?.sequence ?? 0))
  }

  private var hasPlace: Bool { places.file != nil || places.usesStore }

  /// Whether places of the store are to be left for it.
  var needsStore: Bool { places.usesStore && isUsed || !store.isEmpty }

  private var isUsed: Bool {
    lifecycle.capabilities.contains(.stateRestoring) || state.withLock { $0.hasEnded != nil }
  }

  // MARK: From the start to the end

  /// The run has begun: leaves a mark, with what an earlier run has left, so that the next one learns of a crash.
  ///
  /// It may be said again, when it is known late that somebody's state is to outlive the process.
  func begin() {
    guard state.withLock({ $0.hasEnded == nil }) else { return }
    keep(isNews: false) { _ in }
  }

  /// Nobody's state outlives the process any more: what lies in the store is of no use.
  func forgetStoreIfUnused() {
    if state.withLock({ $0.hasEnded == nil }) { store.forget() }
  }

  /// Writes what is the newest when its turn has come.
  ///
  /// - Parameter isNews: listeners have handed something over, which is worth a report.
  func keep(isNews: Bool, _ done: @escaping @Sendable (LifecycleError?) -> Void) {
    guard hasPlace, isUsed else { return done(nil) }
    state.withLock { state in
      state.hasEnded = state.hasEnded ?? false
      state.open += 1
    }
    queue.async {
      let error = self.write(self.archive(), isNews: isNews)
      self.state.withLock { $0.open -= 1 }
      done(error)
    }
  }

  /// The lifecycle is over: notes how, waits for what is being kept, but not for long, and calls back on the loop.
  func end(asAsked: Bool, _ done: @escaping @Sendable () -> Void) {
    guard hasPlace, state.withLock({ $0.hasEnded }) != nil else { return done() }
    // Not with what the stop itself has saved: a run that is killed in what is left of its stop has not ended.
    if asAsked {
      state.withLock { $0.hasEnded = true }
      keep(isNews: false) { _ in }
    }
    guard state.withLock({ $0.open }) > 0 else { return done() }
    voice.tell(ManagerNotice(extending: Self.lastExtension))
    store.hurry()
    let isDone = Locked(false)
    let finish: @Sendable (_ isLate: Bool) -> Void = { [lifecycle] isLate in
      let wasDone = isDone.withLock { isDone in
        defer { isDone = true }
        return isDone
      }
      if wasDone { return }
      if isLate {
        lifecycle.hub.send(.stateNotSaved(place: "time", message: "it takes longer than \(Self.lastPatience)"))
      }
      done()
    }
    let timer = loop.timer(after: Self.lastPatience) { finish(true) }
    queue.async { [loop] in
      loop.submit {
        timer.cancel()
        finish(false)
      }
    }
  }

  /// The file is the next bridge's from here on.
  func letGo() { lock.withLock { $0 = nil } }

  private var queue: DispatchQueue {
    madeQueue.withLock { made in
      if let made { return made }
      let queue = DispatchQueue(label: "lifecycle-state")
      made = queue
      return queue
    }
  }

  // MARK: On the queue

  /// Numbered in the order of the writing.
  private func archive() -> StateArchive {
    let states = lifecycle.savedStates
    return state.withLock { state in
      state.sequence += 1
      return StateArchive(
        sequence: state.sequence, hasEnded: state.hasEnded ?? false, boot: boot, program: program, states: states)
    }
  }

  private func write(_ archive: StateArchive, isNews: Bool) -> LifecycleError? {
    let bytes: [UInt8]
    do throws(StateArchive.Fault) {
      bytes = try archive.encoded()
    } catch {
      lifecycle.hub.send(.stateNotSaved(place: "any place", message: error.description))
      return Self.error("\(error)")
    }
    let failures = write(bytes)
    guard failures.count < places.count else { return Self.error(failures.joined(separator: "; ")) }
    if isNews, !archive.states.isEmpty { lifecycle.hub.send(.stateSaved(listeners: archive.states.map(\.listener))) }
    return nil
  }

  /// Into each place, and says what went wrong in which of them.
  ///
  /// The manager is sent it before the disk is waited for, and is waited for after the disk: a slow one of them does
  /// not keep it from the other.
  private func write(_ bytes: [UInt8]) -> [String] {
    var failures: [String] = []
    func attempt(_ place: String, _ body: () throws(LinuxError) -> Void) {
      do throws(LinuxError) {
        try body()
      } catch {
        lifecycle.hub.send(.stateNotSaved(place: place, message: error.description))
        failures.append("\(place): \(error)")
      }
    }
    var offer: StateStore.Offer?
    let manager = "the manager's store"
    if places.usesStore { attempt(manager) { () throws(LinuxError) in offer = try store.offer(bytes) } }
    if let file = places.file { attempt(file.path) { () throws(LinuxError) in try file.replace(bytes) } }
    if let offer { attempt(manager) { () throws(LinuxError) in try store.settle(offer) } }
    if !places.usesStore, failures.isEmpty, voice.hasManager {
      // An older state would win when the file is deleted. What cannot be said now is said after the next writing.
      try? store.clear()
    }
    return failures
  }

  private static func error(_ message: String) -> LifecycleError {
    LifecycleError(
      .stateNotSaved, message: "the state was not saved: \(message)",
      advice: "see StateDirectory= and FileDescriptorStoreMax= of the unit")
  }
}
