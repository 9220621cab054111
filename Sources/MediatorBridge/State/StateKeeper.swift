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
    /// What lies in the store, the newest last.
    var stored: [StoreName]
    /// Whether this run has left its mark, and how it stands.
    var hasEnded: Bool?
  }

  /// How long the manager may take to say that it has what it was sent, and how long the end waits for all that.
  private static let patience = Duration.seconds(5)
  private static let lastPatience = Duration.seconds(2)

  private let places: Inheritance.Places
  private let boot: String
  private let program: String
  private let voice: ManagerVoice
  private let loop: EventLoop
  private let lifecycle: Lifecycle
  private let queue = DispatchQueue(label: "lifecycle-state")
  private let state: Locked<State>

  init(_ inheritance: Inheritance, voice: ManagerVoice, loop: EventLoop, lifecycle: Lifecycle) {
    places = inheritance.places
    boot = inheritance.boot
    program = inheritance.program
    self.voice = voice
    self.loop = loop
    self.lifecycle = lifecycle
    state = Locked(State(sequence: inheritance.newest?.sequence ?? 0, stored: inheritance.storedStates))
  }

  private var hasPlace: Bool { places.file != nil || places.usesStore }

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
    let unused = state.withLock { state in
      guard state.hasEnded == nil else { return [StoreName]() }
      defer { state.stored = [] }
      return state.stored
    }
    for name in Set(unused) { voice.tell(Self.removal(of: name), nil) }
  }

  /// Writes what is the newest when its turn has come.
  ///
  /// - Parameter isNews: listeners have handed something over, which is worth a report.
  func keep(isNews: Bool, _ done: @escaping @Sendable (LifecycleError?) -> Void) {
    guard hasPlace, isUsed else { return done(nil) }
    state.withLock { $0.hasEnded = $0.hasEnded ?? false }
    queue.async { done(self.write(self.archive(), isNews: isNews)) }
  }

  /// The lifecycle is over: notes how, waits for what is being kept, but not for long, and calls back on the loop.
  func end(asAsked: Bool, _ done: @escaping @Sendable () -> Void) {
    guard hasPlace, state.withLock(\.hasEnded) != nil else { return done() }
    // Not with what the stop itself has saved: a run that is killed in what is left of its stop has not ended.
    if asAsked {
      state.withLock { $0.hasEnded = true }
      keep(isNews: false) { _ in }
    }
    let isDone = Locked(false)
    let finish: @Sendable () -> Void = {
      let wasDone = isDone.withLock { isDone in
        defer { isDone = true }
        return isDone
      }
      if !wasDone { done() }
    }
    let timer = loop.timer(after: Self.lastPatience, finish)
    queue.async { [loop] in
      loop.submit {
        timer.cancel()
        finish()
      }
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
    var failures: [String] = []
    var successes = 0
    func attempt(_ place: String, _ body: () throws(LinuxError) -> Void) {
      do throws(LinuxError) {
        try body()
        successes += 1
      } catch {
        lifecycle.hub.send(.stateNotSaved(place: place, message: error.description))
        failures.append("\(place): \(error)")
      }
    }
    if let file = places.file { attempt(file.path) { () throws(LinuxError) in try file.replace(bytes) } }
    if places.usesStore { attempt("the manager's store") { () throws(LinuxError) in try store(bytes) } }
    guard successes > 0 else { return Self.error(failures.joined(separator: "; ")) }
    if isNews, !archive.states.isEmpty { lifecycle.hub.send(.stateSaved(listeners: archive.states.map(\.listener))) }
    return nil
  }

  /// The new one is there before the old one goes, whatever happens on the way.
  private func store(_ bytes: [UInt8]) throws(LinuxError) {
    let deadline = ContinuousClock.now + Self.patience
    let stored = state.withLock(\.stored)
    let name = stored.last == .state(isOdd: false) ? StoreName.state(isOdd: true) : .state(isOdd: false)
    // One that is older, or of which it was never learned whether it had arrived.
    if stored.contains(name) { try voice.say(Self.removal(of: name), until: deadline) }
    state.withLock { $0.stored = [name] + $0.stored.filter { $0 != name } }
    let memory = HeldDescriptors([try SealedMemory.make("lifecycle-state", bytes)])
    try voice.say(["FDSTORE=1", "FDNAME=\(name.text)", "FDPOLL=0"], memory.numbers, until: deadline)
    try voice.barrier(until: deadline)
    for old in Set(stored) where old != name { try voice.say(Self.removal(of: old), until: deadline) }
    state.withLock { $0.stored = [name] }
  }

  private static func removal(of name: StoreName) -> [String] { ["FDSTOREREMOVE=1", "FDNAME=\(name.text)"] }

  private static func error(_ message: String) -> LifecycleError {
    LifecycleError(
      .stateNotSaved, message: "the state was not saved: \(message)",
      advice: "see StateDirectory= and FileDescriptorStoreMax= of the unit")
  }
}
