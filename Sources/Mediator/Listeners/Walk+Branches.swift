internal import Synchronization

extension Walk {
  /// Tells all members of a concurrent group at once, and returns when all have ended.
  ///
  /// - Parameter index: where the group begins; afterwards where it ends.
  func tellBranches(of node: GroupNode, _ index: inout Int) async {
    guard let step = steps[index] else { return }
    let (members, last) = steps.branches(of: node, from: index)
    let gathering = BranchGathering(count: members.count)
    let walks = members.enumerated().map { number, registrations in
      Walk(
        WalkSteps(registrations, [step.transition]), branchKind(node), mediator: mediator,
        done: { gathering.ended(number, $0, mayCancel: step.transition.isShortCut) })
    }
    let deadlines = state.withLock({ $0.deadlines })
    for walk in walks { walk.state.withLock { $0.deadlines = deadlines } }
    gathering.walks.withLock { $0 = walks }
    begin(walks)
    let (failed, isCutShort) = await gathering.all()
    index = last
    position.store(last, ordering: .releasing)
    state.withLock { state in
      if isCutShort { state.isCutShort = true }
      state.branches = []
      for failed in failed { note(failed, step.transition, &state) }
    }
    if step.transition.event == .didFinishLaunching, !failed.isEmpty { failStartedMembers() }
  }

  private func branchKind(_ node: GroupNode) -> Kind {
    var kind = kind
    kind.within = node
    return kind
  }

  /// What was asked meanwhile counts for the branches.
  private func begin(_ walks: [Walk]) {
    let (isCancelled, isOverdue, isEnding) = state.withLock { state in
      state.branches = walks
      defer { state.isOverdue = false }
      return (state.isCancelled, state.isOverdue, state.isEnding)
    }
    if isCancelled { for walk in walks { walk.cancel() } }
    if isOverdue { for walk in walks { walk.passOver(isEnding: isEnding) } }
    for walk in walks { walk.begin() }
  }

  /// Notes a failure, and what it means for the groups around.
  func note(_ failed: Failed, _ transition: LifecycleTransition, _ state: inout State) {
    state.failed.append(failed)
    guard transition.isShortCut || kind.isArrival else { return }
    guard failed.registration.isRequiredInGroup || kind.isArrival && failed.registration.group == nil else { return }
    var node = failed.registration.group
    while let group = node, group !== kind.within {
      state.failedGroups.insert(ObjectIdentifier(group))
      attention.store(true, ordering: .releasing)
      let isOutermostArrival = kind.isArrival && group.parent == nil
      if !group.isRequired, !isOutermostArrival { return }
      node = group.parent
    }
    state.isEnding = true
    state.hasFailed = true
    attention.store(true, ordering: .releasing)
  }

  /// Members of a group whose start has failed hear nothing more but `willTerminate`.
  func failStartedMembers() {
    let failedGroups = state.withLock({ $0.failedGroups })
    guard !failedGroups.isEmpty, kind.within == nil else { return }
    for case let registration? in steps.slots where registration.currentPhase == .started {
      let chain = registration.group?.chain ?? []
      if chain.contains(where: { failedGroups.contains(ObjectIdentifier($0)) }) { registration.markFailed() }
    }
  }
}

/// Waits for all branches of a concurrent group.
private final class BranchGathering: Sendable {
  private struct State {
    var open: Int
    var failed: [[Walk.Failed]]
    var isCutShort = false
    var waiter: CheckedContinuation<Void, Never>?
  }

  let walks = Locked<[Walk]>([])
  private let state: Locked<State>

  init(count: Int) { state = Locked(State(open: count, failed: Array(repeating: [], count: count))) }

  func ended(_ number: Int, _ outcome: Walk.Outcome, mayCancel: Bool) {
    // The group has failed: what the others do is in vain.
    if mayCancel, outcome.hasFailed {
      for (other, walk) in walks.withLock({ $0 }).enumerated() where other != number { walk.cancel() }
    }
    let waiter: CheckedContinuation<Void, Never>? = state.withLock { state in
      state.open -= 1
      state.failed[number] = outcome.failed
      if outcome.isCutShort { state.isCutShort = true }
      return state.open == 0 ? state.waiter : nil
    }
    waiter?.resume()
  }

  func all() async -> (failed: [Walk.Failed], isCutShort: Bool) {
    await withCheckedContinuation { continuation in
      let isOver = state.withLock { state in
        if state.open > 0 { state.waiter = continuation }
        return state.open == 0
      }
      if isOver { continuation.resume() }
    }
    walks.withLock { $0 = [] }
    return state.withLock { state in (state.failed.flatMap(\.self), state.isCutShort) }
  }
}
