internal import Mediator
internal import MediatorBridge

/// All programs of one lifecycled: makes their copies, knows which of them count, and how they ended.
final class ProgramHost: Sendable {
  private struct State {
    var listeners: [String: Listener] = [:]
    /// Of all that are and were there.
    var titles: Set<String> = []
    var bridge: LifecycleBridge?
    /// Which of the copies of a program counts.
    var current: [String: UInt64] = [:]
    var made: UInt64 = 0
    var programs: [UInt64: WeakProgram] = [:]
    /// How the programs ended, by name.
    var ends: [String: ProgramEnd] = [:]
    /// Who ended the service, if a program did.
    var last: ProgramEnd?
  }

  /// Who hears of one program.
  struct Listener: Sendable {
    var changed: @Sendable (ProgramState) -> Void
    /// It has ended for good, and nobody asked for that.
    var over: @Sendable (ProgramEnd) -> Void
  }

  private struct WeakProgram: Sendable {
    weak var program: Program?
  }

  let log: EventLog
  let status: ProgramStatus
  let grounds: ProgramGrounds
  let store: DescriptorStore
  /// There is one program, which is the service itself.
  let isAlone: Bool
  private let state = Locked(State())

  init(runner: HookRunner, log: EventLog, isAlone: Bool = false) {
    self.log = log
    self.isAlone = isAlone
    status = ProgramStatus(isAlone: isAlone)
    store = DescriptorStore(isAlone: isAlone)
    grounds = ProgramGrounds(runner: runner, log: log, store: store)
  }

  /// Whose manager hears of the programs.
  func attach(to bridge: LifecycleBridge) {
    state.withLock { $0.bridge = bridge }
    status.attach(to: bridge.lifecycle)
    if bridge.hasManager { store.attach { bridge.tell($0, $1) } }
  }

  /// - Parameter listener: hears of the copy that counts.
  func listen(to title: String, _ listener: Listener) {
    state.withLock { state in
      state.listeners[title] = listener
      state.titles.insert(title)
    }
    store.expect(title)
  }

  /// Whether a program is, or was, called this.
  func has(_ title: String) -> Bool { state.withLock { $0.titles.contains(title) } }

  /// - Parameter counts: what is said of the program is said of this copy, from now on.
  func makeProgram(_ definition: Kept<ProgramDefinition>, counts: Bool = true) throws(LifecycleError) -> Program {
    let title = definition.wrappedValue.title
    var surroundings = try grounds.prepared()
    surroundings.isAlone = isAlone
    surroundings.isStopping = { [weak self] in self?.isStopping ?? false }
    let number = state.withLock { state in
      state.made += 1
      if counts { state.current[title] = state.made }
      return state.made
    }
    let observer = Program.Observer(
      changed: { [weak self] in self?.changed(title, number, $0) },
      announced: { [weak self] in self?.announced($0) },
      said: { [weak self] in self?.forward($0) },
      over: { [weak self] end in self?.over(title, number, end) })
    let program = Program(definition, number: number, in: surroundings, observer: observer)
    state.withLock { state in
      state.programs = state.programs.filter { $0.value.program != nil }
      state.programs[number] = WeakProgram(program: program)
    }
    return program
  }

  /// It is no part of the service any more.
  func forget(_ title: String) {
    state.withLock { ($0.current[title], $0.listeners[title]) = (nil, nil) }
    status.forget(title)
  }

  /// Of two copies this one counts from now on.
  func makeCurrent(_ program: Program) async {
    state.withLock { $0.current[program.title] = program.number }
    await program.tell()
  }

  private func changed(_ title: String, _ number: UInt64, _ new: ProgramState) {
    let (isCurrent, listener) = state.withLock { ($0.current[title] == number, $0.listeners[title]) }
    if isCurrent, status.changed(title, new) { listener?.changed(new) }
  }

  private func over(_ title: String, _ number: UInt64, _ end: ProgramEnd) {
    if case .stopped = end { return }
    state.withLock { $0.current[title] == number ? $0.listeners[title] : nil }?.over(end)
  }

  // MARK: The service

  private var bridge: LifecycleBridge? { state.withLock({ $0.bridge }) }

  func requestStop() { bridge?.lifecycle.requestStop() }

  /// In a stop nothing is started any more.
  var isStopping: Bool {
    guard let state = bridge?.lifecycle.state else { return false }
    return state == .stopping || state == .stopped
  }

  /// Alone, what it does by itself is what the service does.
  private func announced(_ change: NotifyMessage.Change) {
    guard isAlone else { return }
    switch change {
    case .stopping: requestStop()
    case .reloading: bridge?.tellOwnReload(.reloading)
    case .ready: bridge?.tellOwnReload(.ready)
    case .reloaded: bridge?.tellOwnReload(.reloaded)
    }
  }

  private func forward(_ message: NotifyMessage) {
    guard isAlone else { return }
    for part in ForwardedMessage.parts(of: message) { bridge?.tell(part.lines, in: part.states) }
  }

  /// Several programs would talk across each other: of them this goes up with the failure of the service.
  func tell(busError: String) {
    if !isAlone { bridge?.tell(["BUSERROR=\(busError)"], in: ForwardedMessage.beforeStop) }
  }

  /// Ends all that still runs, when the time of the stop was over before it did.
  func killAll() async {
    let programs = state.withLock { $0.programs.values.compactMap(\.program) }
    let ends = LeavableTask<Void>(on: FirstThread.executor) {
      for program in programs { await program.killAtOnce() }
      for program in programs { _ = await program.end() }
    }
    _ = await ends.ending(within: .seconds(2), sleep: FirstThread.sleep)
  }

  // MARK: How they end

  /// A required program has ended well by itself: so does the service.
  func end(with end: ProgramEnd, of title: String) {
    state.withLock { state in
      state.last = state.last ?? end
      state.ends[title] = end
    }
    requestStop()
  }

  /// - Parameter isTheEnd: also of the service.
  func note(_ end: ProgramEnd, of title: String, isTheEnd: Bool = false) {
    state.withLock { state in
      if isTheEnd { state.last = state.last ?? end }
      // What it came to by itself goes before that there was nothing left to stop.
      if state.ends[title] == nil { state.ends[title] = end }
    }
  }

  /// What to exit with: the status of the program that ended the service, if one did.
  func exitStatus(_ status: Int32) -> Int32 {
    Self.exitStatus(status, of: state.withLock({ $0.last }))
  }

  /// What tells the manager that another start would find the same fault is ours to say.
  static func exitStatus(_ status: Int32, of last: ProgramEnd?) -> Int32 {
    guard status == 0 || status == 70, let own = last?.status?.code, own != 0 else { return status }
    return [ExitCode.usage, .noInput, .configuration].contains { $0.rawValue == own } ? status : own
  }

  func end(of title: String) -> ProgramEnd? { state.withLock { $0.ends[title] } }
}
