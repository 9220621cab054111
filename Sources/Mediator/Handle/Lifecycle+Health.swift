/// What the watchdog is fed with, from READY to STOPPING.
struct HealthWatch: Sendable {
  var monitor: HealthMonitor
  var period: Duration
  /// Without a manager that waits for pings it lasts as long as somebody's health is checked.
  var isForManager: Bool
  var timer: (any LifecycleTimer)?
  /// Whether what was submitted to delivery at the last tick has been run.
  var hasTurned = true
  var number: UInt64
}

extension Lifecycle {
  /// How often health is checked when the manager has no watchdog.
  private static let usualPeriod = Duration.seconds(10)

  /// Asks every `HealthChecking` listener, all at once, and returns what is wrong; empty when all is well.
  ///
  /// - Parameter limit: how long each may take, beside the `timeout` of its entry.
  public func checkHealth(within limit: Duration = .seconds(5)) async -> [ListenerFailure] {
    let members = mediators.flatMap { $0.able(.health) }
    return await withTaskGroup(of: (Int, ListenerFailure?).self) { group in
      for (index, member) in members.enumerated() {
        group.addTask { (index, await self.check(member, within: min(limit, member.timeout ?? limit))) }
      }
      var failures = [ListenerFailure?](repeating: nil, count: members.count)
      for await (index, failure) in group { failures[index] = failure }
      return failures.compactMap(\.self)
    }
  }

  private func check(_ member: Registration, within limit: Duration?) async -> ListenerFailure? {
    guard let listener = member.listener as? any HealthChecking, member.currentPhase.isServing else { return nil }
    let result = await call(within: limit) {
      try await listener.checkHealth()
    }
    guard case .failure(let error) = result else { return nil }
    return ListenerFailure(
      listener: member.name, event: .didBecomeActive, isRequired: member.isRequired, error: error)
  }

  // MARK: The watchdog

  /// After the first READY; with it the first ping, so that the manager's time does not run out before.
  func beginWatch() {
    guard let performer = core.withLock({ $0.performer }) else { return }
    let policy = performer.watchdogPolicy
    let interval = policy == .off ? nil : performer.watchdogInterval
    // Nothing wakes up for nothing.
    guard interval != nil || isAble(.health) else { return }
    let monitor = HealthMonitor(pings: interval != nil, triggers: policy == .trigger)
    // Two fifths: never more than half an interval apart, also when a timer is late.
    let period = interval.map { $0 * 2 / 5 } ?? Self.usualPeriod
    let number: UInt64? = core.withLock { core in
      guard core.watch == nil else { return nil }
      let number = core.waiters.number()
      core.watch = HealthWatch(
        monitor: monitor, period: period, isForManager: interval != nil, number: number)
      return number
    }
    if let number { tick(number) }
  }

  func endWatch() {
    let timer = core.withLock { core in
      defer { core.watch = nil }
      return core.watch?.timer
    }
    timer?.cancel()
  }

  /// Runs where inputs are processed.
  private func tick(_ number: UInt64) {
    guard let performer = core.withLock({ $0.performer }) else { return }
    let members = watched
    let isBusy = hasTransitionInTime(performer.now)
    let result: ([HealthMonitor.Effect], Duration, Bool)? = core.withLock { core in
      guard var watch = core.watch, watch.number == number else { return nil }
      let asked = members.sorted { $0.key < $1.key }.map { id, registration in
        HealthMonitor.Member(
          id: id, name: registration.name, isRequired: registration.isRequired,
          patience: Self.ticks(registration.timeout, watch.period), isLost: registration.isStuck)
      }
      let effects = watch.monitor.tick(asked, isTurning: watch.hasTurned || isBusy)
      watch.hasTurned = false
      core.watch = watch
      return (effects, watch.period, watch.isForManager)
    }
    guard let (effects, period, isForManager) = result else { return }
    for effect in effects { perform(effect, members, number) }
    guard isForManager || isAble(.health) else { return endWatch() }
    performer.deliver { [weak self] in self?.core.withLock { $0.watch?.hasTurned = true } }
    let timer = performer.timer(after: period) { [weak self] in self?.tick(number) }
    core.withLock { $0.watch?.timer = timer }
  }

  /// A listener's health may have changed: it is asked now, not only at the next tick.
  package func healthChanged(of listener: String) {
    schedule { [self] in
      guard let number = core.withLock({ $0.watch?.number }) else { return }
      let ids = watched.filter { $0.value.name == listener }.keys.sorted()
      tellMonitor(number) { monitor in ids.flatMap { monitor.ask($0) } }
    }
  }

  /// Runs where inputs are processed.
  private func tellMonitor(_ number: UInt64, _ news: (inout HealthMonitor) -> [HealthMonitor.Effect]) {
    let effects: [HealthMonitor.Effect] = core.withLock { core in
      guard var watch = core.watch, watch.number == number else { return [] }
      let effects = news(&watch.monitor)
      core.watch = watch
      return effects
    }
    let members = effects.isEmpty ? [:] : watched
    for effect in effects { perform(effect, members, number) }
  }

  private static func ticks(_ timeout: Duration?, _ period: Duration) -> Int {
    timeout.map { max(1, Int(min(($0 / period).rounded(.up), 1e9))) } ?? 1
  }

  /// Who is asked, under numbers that stay theirs.
  private var watched: [UInt64: Registration] {
    var watched: [UInt64: Registration] = [:]
    for (place, mediator) in mediators.enumerated() {
      for registration in mediator.able(.health, withStuck: true) {
        watched[UInt64(place) << 48 | registration.number] = registration
      }
    }
    return watched
  }

  private func perform(_ effect: HealthMonitor.Effect, _ members: [UInt64: Registration], _ number: UInt64) {
    switch effect {
    case .ping: core.withLock({ $0.performer })?.notify(ManagerNotice(watchdog: .ping))
    case .trigger: core.withLock({ $0.performer })?.notify(ManagerNotice(watchdog: .trigger))
    case .report(let failures):
      let known = core.withLock({ $0.machine.unwell })
      for failure in failures where !known.contains(failure) { hub.send(.unwell(failure)) }
      process(.health(failures))
    case .ask(let member):
      guard let registration = members[member.id] else { return }
      Task.detached(executorPreference: beside) { [self] in
        let failure = await check(registration, within: nil)
        schedule { self.tellMonitor(number) { $0.answered(member.id, failure) } }
      }
    }
  }

  /// While a transition is inside its time, delivery counts as turning.
  private func hasTransitionInTime(_ now: ContinuousClock.Instant) -> Bool {
    let grace = grace
    return core.withLock { core in
      core.openTransitions.values.contains { open in open.deadline.map { now <= $0 + grace } ?? true }
    }
  }
}
