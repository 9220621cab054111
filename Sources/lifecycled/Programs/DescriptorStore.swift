internal import Mediator
internal import MediatorLinux

/// What programs keep in the manager's descriptor store, sd_pid_notify_with_fds(3): told upward under a name that says
/// whose it is, and given to each next start of the program, by us or by the manager.
final class DescriptorStore: Sendable {
  /// What a program gets back.
  struct Kept: Sendable {
    var name: String
    var held: HeldDescriptors
    /// As the manager does, it is dropped when its other side is gone.
    var isWatched = true
  }

  /// How the manager is told; the descriptors are closed when they were sent.
  typealias Tell = @Sendable (_ lines: [String], HeldDescriptors?) -> Void

  private struct Voice: Sendable { var tell: Tell }

  private struct State {
    /// By the program's title.
    var kept: [String: [Kept]] = [:]
    /// What the manager gave at the start, and nobody has asked for yet.
    var inherited: [(name: String, descriptor: Int32)] = []
    var titles: Set<String> = []
    /// nil without a manager.
    var voice: Voice?
  }

  /// How many are kept for one program.
  static let limit = 256

  private let isAlone: Bool
  private let state = Locked(State())

  /// - Parameter isAlone: there is one program: the manager's store is its own, name for name.
  init(isAlone: Bool) { self.isAlone = isAlone }

  func attach(_ tell: Tell?) { state.withLock { $0.voice = tell.map(Voice.init) } }

  /// What the manager passed, sd_listen_fds_with_names(3).
  func inherit(_ descriptors: [(name: String, descriptor: Int32)]) { state.withLock { $0.inherited = descriptors } }

  /// There is a program of this title.
  func expect(_ title: String) { state.withLock { _ = $0.titles.insert(title) } }

  // MARK: What a program says

  /// Stores or removes; returns why not, for one line of the log. Without a manager nothing is kept.
  func take(_ message: NotifyMessage, _ held: HeldDescriptors, of title: String) -> String? {
    guard let voice = state.withLock({ $0.voice }) else { return nil }
    // As systemd has it: of the two the removal counts.
    if message.removesDescriptors {
      guard let name = message.descriptorName else { return "refused FDSTOREREMOVE=1: it needs a valid FDNAME=" }
      guard let told = told(name, of: title) else { return Self.ambiguous(name) }
      let dropped = state.withLock { Self.remove(named: StoredName(owner: title, name: name).name, of: title, &$0) }
      voice.tell(["FDSTOREREMOVE=1", "FDNAME=\(told)"], nil)
      return withExtendedLifetime(dropped) { nil }
    }
    guard message.storesDescriptors, !held.numbers.isEmpty else { return nil }
    let name = StoredName(owner: title, name: message.descriptorName).name
    guard let told = told(name, of: title) else { return Self.ambiguous(name) }
    guard keep(Kept(name: name, held: held, isWatched: message.pollsDescriptors), for: title) else {
      return "refused FDSTORE=1: \(Self.limit) descriptors are stored already"
    }
    voice.tell(["FDSTORE=1", "FDNAME=\(told)"] + (message.pollsDescriptors ? [] : ["FDPOLL=0"]), held)
    return nil
  }

  private func told(_ name: String, of title: String) -> String? {
    isAlone ? name : StoredName(owner: title, name: name).told(among: state.withLock({ $0.titles }))
  }

  private static func ambiguous(_ name: String) -> String {
    "refused FDNAME=\(name): with the program's name before it, it is too long or another program's"
  }

  /// What is there already is not kept twice; false when there is no room.
  private func keep(_ new: Kept, for title: String) -> Bool {
    let (isKept, dropped) = state.withLock { state in
      let dropped = Self.dropDead(of: title, &state)
      let kept = state.kept[title] ?? []
      let identities = new.held.identities
      if kept.contains(where: { $0.name == new.name && $0.held.identities.isSuperset(of: identities) }) {
        return (true, dropped)
      }
      guard kept.reduce(new.held.numbers.count, { $0 + $1.held.numbers.count }) <= Self.limit else {
        return (false, dropped)
      }
      state.kept[title, default: []].append(new)
      return (true, dropped)
    }
    return withExtendedLifetime(dropped) { isKept }
  }

  // MARK: What it gets back

  /// What a program gets at its start, beside its `Sockets=`.
  func descriptors(for title: String, besides sockets: [String]) -> [Kept] {
    let (kept, dropped) = state.withLock { state in
      var rest: [(name: String, descriptor: Int32)] = []
      for inherited in state.inherited {
        let stored =
          isAlone
          ? StoredName(owner: title, name: inherited.name) : StoredName(of: inherited.name, among: state.titles)
        if let stored, stored.owner == title, !sockets.contains(inherited.name) {
          state.kept[title, default: []].append(
            Kept(name: stored.name, held: HeldDescriptors([inherited.descriptor])))
        } else {
          rest.append(inherited)
        }
      }
      state.inherited = rest
      let dropped = Self.dropDead(of: title, &state)
      return (state.kept[title] ?? [], dropped)
    }
    return withExtendedLifetime(dropped) { kept }
  }

  /// The last references are let go of outside of the lock.
  private static func dropDead(of title: String, _ state: inout State) -> [Kept] {
    let all = state.kept[title] ?? []
    let isDead = all.map { $0.isWatched && $0.held.haveHungUp }
    state.kept[title] = zip(all, isDead).filter { !$0.1 }.map(\.0)
    return zip(all, isDead).filter(\.1).map(\.0)
  }

  private static func remove(named name: String, of title: String, _ state: inout State) -> [Kept] {
    let all = state.kept[title] ?? []
    state.kept[title] = all.filter { $0.name != name }
    return all.filter { $0.name == name }
  }
}
