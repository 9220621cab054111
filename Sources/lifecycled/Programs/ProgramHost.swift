internal import Glibc
internal import Mediator
internal import MediatorLinux

/// What all programs share: where they run, what STATUS says of them, and their scenes.
final class ProgramHost: StatusReporting, SceneListener {
  static let kind = "program"

  private struct State {
    /// In order of their first sign of life.
    var order: [String] = []
    var states: [String: ProgramState] = [:]
    var listeners: [String: Listener] = [:]
    var lifecycle: Lifecycle?
    /// Which of the copies of a program counts.
    var current: [String: UInt64] = [:]
    var made: UInt64 = 0
    var programs: [UInt64: WeakProgram] = [:]
    var isUpdating = false
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

  let name = "programs"
  let kinds: Set<String> = [ProgramHost.kind]
  private let runner: HookRunner
  let log: EventLog
  /// Whether there is one program alone, which is then the service itself.
  private let isAlone: Bool
  private struct WeakProgram: Sendable {
    weak var program: Program?
  }

  private struct Made: Sendable {
    var surroundings: Program.Surroundings
    /// Orphans of programs are ours.
    var reaper: ChildReaper
  }

  private let state = Locked(State())
  private let surroundings = Locked<Made?>(nil)
  private let moves: AsyncStream<(String, ProgramState.Place)>.Continuation
  private let moving: AsyncStream<(String, ProgramState.Place)>

  /// - Parameter isAlone: there is one program, which is the service itself.
  init(runner: HookRunner, log: EventLog, isAlone: Bool = false) {
    self.runner = runner
    self.log = log
    self.isAlone = isAlone
    (moving, moves) = AsyncStream<(String, ProgramState.Place)>.makeStream()
  }

  /// Whose STATUS it is, and whose scenes the programs are.
  func attach(to lifecycle: Lifecycle) {
    state.withLock { $0.lifecycle = lifecycle }
    Task.detached { [moving] in
      for await (title, place) in moving { await Self.move(title, place, in: lifecycle) }
    }
  }

  func makeProgram(_ definition: ProgramDefinition) throws(LifecycleError) -> Program {
    let title = definition.title
    let surroundings = try prepared()
    let number = state.withLock { state in
      state.made += 1
      if state.current[title] == nil { state.current[title] = state.made }
      return state.made
    }
    let program = Program(
      definition, number: number, in: surroundings,
      observer: Program.Observer(
        changed: { [weak self] in self?.changed(title, number, $0) },
        announced: { [weak self] in self?.announced($0) },
        over: { [weak self] end in self?.over(title, number, end) }))
    state.withLock { state in
      state.programs = state.programs.filter { $0.value.program != nil }
      state.programs[number] = WeakProgram(program: program)
    }
    return program
  }

  /// Of two copies this one counts from now on.
  func makeCurrent(_ program: Program) async {
    state.withLock { $0.current[program.title] = program.number }
    await program.tell()
  }

  private func over(_ title: String, _ number: UInt64, _ end: ProgramEnd) {
    if case .stopped = end { return }
    state.withLock { $0.current[title] == number ? $0.listeners[title] : nil }?.over(end)
  }

  func requestStop() { state.withLock(\.lifecycle)?.requestStop() }

  /// In a stop nothing is started any more.
  var isStopping: Bool {
    guard let state = state.withLock(\.lifecycle)?.state else { return false }
    return state == .stopping || state == .stopped
  }

  /// Before an end at once, from any thread: there is time for a signal to each group, and for nothing else.
  func killGroups() {
    let children = surroundings.withLock { $0?.surroundings.children.withLock { Array($0.values) } ?? [] }
    for child in children { try? child.signalGroup(SIGKILL) }
  }

  /// Ends all that still runs, when the time of the stop was over before it did.
  func killAll() async {
    let programs = state.withLock { $0.programs.values.compactMap(\.program) }
    await withTaskGroup(of: Void.self) { group in
      for program in programs { group.addTask { await program.killAtOnce() } }
    }
  }

  /// Made for the first program: who has none need not wait for it.
  private func prepared() throws(LifecycleError) -> Program.Surroundings {
    do throws(LinuxError) {
      return try surroundings.withLock { made throws(LinuxError) in
        if let made { return made.surroundings }
        let loop = try runner.loop()
        let reaper = try ChildReaper(on: loop, subreaper: getpid() != 1) { _, _ in }
        let surroundings = Program.Surroundings(
          loop: loop, runner: runner, log: log, sockets: InheritedSockets.byName(), groups: Self.groups(log))
        made = Made(surroundings: surroundings, reaper: reaper)
        return surroundings
      }
    } catch {
      throw LifecycleError(
        .system, message: error.description, advice: "programs cannot be watched without it", errno: error.code)
    }
  }

  /// Where programs get control groups of their own, if ours was left to us.
  private static func groups(_ log: EventLog) -> ControlGroup? {
    guard let own = ControlGroup.own(), own.isDelegated else { return nil }
    do throws(LinuxError) {
      try own.moveSelf(to: "supervisor")
      return try own.makeChild("programs")
    } catch {
      log.log(.warning, "the control group was left to us and cannot be used: \(error)")
      return nil
    }
  }

  /// The first process of a container is everybody's parent, also of hooks' orphans.
  func prepareAsFirst() throws(LifecycleError) {
    if getpid() == 1 { _ = try prepared() }
  }

  /// Nobody survives, also who was nobody's by then.
  func endOrphans() async {
    guard surroundings.withLock({ $0 != nil }) else { return }
    let tree = ProcessTree(root: getpid(), includesOrphans: true)
    let survivors = try? await BlockingCall.run("end-of-orphans") { tree.end(within: .seconds(2)) }
    for process in survivors ?? [] { log.log(.error, "process \(process.pid) cannot be ended") }
  }

  func listen(to title: String, _ listener: Listener) { state.withLock { $0.listeners[title] = listener } }

  // MARK: What the programs say

  private func changed(_ title: String, _ number: UInt64, _ new: ProgramState) {
    let (isCurrent, before, listener) = state.withLock { state in
      guard state.current[title] == number else { return (false, ProgramState?.none, Listener?.none) }
      if state.states[title] == nil { state.order.append(title) }
      defer { state.states[title] = new }
      return (true, state.states[title], state.listeners[title])
    }
    guard isCurrent, before != new else { return }
    listener?.changed(new)
    if before?.place != new.place { moves.yield((title, new.place)) }
    updateStatus()
  }

  /// Soon: a program may say something new a thousand times a second.
  private func updateStatus() {
    let isDue = state.withLock { state in
      defer { state.isUpdating = true }
      return !state.isUpdating
    }
    guard isDue else { return }
    Task.detached { [self] in
      try? await Task.sleep(for: .milliseconds(50))
      let lifecycle = state.withLock { state in
        state.isUpdating = false
        return state.lifecycle
      }
      lifecycle?.updateStatus()
    }
  }

  /// Alone, what it does by itself is what the service does.
  private func announced(_ change: NotifyMessage.Change) {
    guard isAlone, change == .stopping else { return }
    requestStop()
  }

  var status: String {
    let (order, states) = state.withLock { ($0.order, $0.states) }
    if isAlone, let only = order.first.flatMap({ states[$0] }) {
      return only.place == .ready ? only.detail : only.text
    }
    return order.compactMap { title in states[title].map { "\(title) \($0.text)" } }.joined(separator: ", ")
  }

  // MARK: How they end

  /// A required program has ended well by itself: so does the service.
  func end(with end: ProgramEnd, of title: String) {
    let lifecycle = state.withLock { state in
      state.last = state.last ?? end
      state.ends[title] = end
      return state.lifecycle
    }
    lifecycle?.requestStop()
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
    let last = state.withLock(\.last)
    guard status == 0 || status == 70, let own = last?.status?.code, own != 0 else { return status }
    return own
  }

  func end(of title: String) -> ProgramEnd? { state.withLock { $0.ends[title] } }

  // MARK: Scenes

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
