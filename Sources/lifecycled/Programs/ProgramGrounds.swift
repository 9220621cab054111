internal import Glibc
internal import Mediator
internal import MediatorLinux

/// Where all programs run: the loop that watches them, their control groups, who reaps their orphans, and their end by
/// force.
final class ProgramGrounds: Sendable {
  private struct Made: Sendable {
    var surroundings: Program.Surroundings
    /// Orphans of programs are ours.
    var reaper: ChildReaper
  }

  private let runner: HookRunner
  private let log: EventLog
  private let store: DescriptorStore
  private let made = Locked<Made?>(nil)

  init(runner: HookRunner, log: EventLog, store: DescriptorStore) {
    self.runner = runner
    self.log = log
    self.store = store
  }

  /// Made for the first program: who has none need not wait for it.
  func prepared() throws(LifecycleError) -> Program.Surroundings {
    do throws(LinuxError) {
      return try made.withLock { made throws(LinuxError) in
        if let made { return made.surroundings }
        let loop = try runner.loop()
        let reaper = try ChildReaper(on: loop, subreaper: getpid() != 1) { _, _ in }
        let inherited = InheritedSockets.all()
        store.inherit(inherited)
        let surroundings = Program.Surroundings(
          loop: loop, runner: runner, log: log, store: store,
          sockets: Dictionary(grouping: inherited, by: \.name).mapValues { $0.map(\.descriptor) },
          groups: Self.groups(log))
        made = Made(surroundings: surroundings, reaper: reaper)
        return surroundings
      }
    } catch {
      throw LifecycleError(
        .system, message: error.description, advice: "programs cannot be watched without it", errno: error.code)
    }
  }

  /// The first process of a container is everybody's parent, also of hooks' orphans.
  func prepareAsFirst() throws(LifecycleError) {
    if getpid() == 1 { _ = try prepared() }
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

  // MARK: The end

  /// Before an end at once, from any thread: there is time for a signal to each group, and for nothing else.
  func killGroups() {
    let surroundings = made.withLock({ $0 })?.surroundings
    for child in surroundings?.running ?? [] { try? child.signalGroup(SIGKILL) }
    try? surroundings?.groups?.kill()
  }

  /// Nobody survives, also who was nobody's by then.
  func endOrphans() async {
    guard made.withLock({ $0 != nil }) else { return }
    let tree = ProcessTree(root: getpid(), includesOrphans: true)
    let end: @Sendable () -> [ProcessEntry] = { tree.end(within: .seconds(2)) }
    // Nothing else is left to do: where there is no thread to be had, this one may wait.
    let survivors = (try? await BlockingCall.run("end-of-orphans", end)) ?? end()
    for process in survivors { log.log(.error, "process \(process.pid) cannot be ended") }
  }
}
