internal import Mediator
internal import MediatorLinux

/// Has listeners in the background before the machine sleeps or goes down, and back afterwards: what logind says of it
/// (`org.freedesktop.login1(5)`), and the lock that has it wait.
final class SleepSource: OccurrenceSource {
  private struct State {
    var plan = SleepPlan()
    var link: BusLink?
    /// logind's own name on the bus; only what it says counts.
    var logind: String?
    /// Let go, the machine may go on.
    var lock: HeldDescriptors?
    var patience = SleepSource.usualPatience
    /// What logind has announced since it is there: newer than the answer to a question that was asked before.
    var announced: Set<SleepPlan.Announcement> = []
    var timers: [SleepPlan.Timer: EventSource] = [:]
  }

  private static let service = "org.freedesktop.login1"
  private static let path = "/org/freedesktop/login1"
  private static let manager = "org.freedesktop.login1.Manager"
  private static let bus = "org.freedesktop.DBus"
  /// `InhibitDelayMaxSec=` where nothing else is said (`logind.conf(5)`).
  private static let usualPatience = Duration.seconds(5)
  private static let longestSilence = Duration.seconds(60)

  private let lifecycle: Lifecycle
  private let loop: EventLoop
  private let address: String?
  private let state = Locked(State())

  /// - Parameter address: of another bus, for a test.
  init(lifecycle: Lifecycle, loop: EventLoop, address: String? = nil) {
    self.lifecycle = lifecycle
    self.loop = loop
    self.address = address
  }

  func open() {
    let link = BusLink(
      on: loop, address: address,
      setUp: { [weak self] bus throws(LinuxError) in try self?.setUp(bus) },
      lost: { [weak self] in self?.isThere(as: nil) },
      failed: { [weak self] error in self?.report("the system bus: \(error)") })
    state.withLock { $0.link = link }
    link.open()
  }

  /// Also ends a pause that sleep has begun.
  func close() {
    let link = state.withLock { state in
      defer { (state.link, state.logind) = (nil, nil) }
      return state.link
    }
    link?.close()
    handle(.closed)
  }

  // MARK: What logind says

  private func setUp(_ bus: SystemBus) throws(LinuxError) {
    let busPath = "/org/freedesktop/DBus"
    try bus.listen(from: Self.bus, busPath, Self.bus, "NameOwnerChanged", argument: Self.service) { [weak self] news in
      guard news.sender == Self.bus, news.values.count == 3 else { return }
      self?.isThere(as: news.values[2].string)
    }
    for (member, announcement) in [
      ("PrepareForSleep", SleepPlan.Announcement.sleep), ("PrepareForShutdown", .shutdown),
    ] {
      try bus.listen(from: Self.service, Self.path, Self.manager, member) { [weak self] signal in
        guard let self, signal.sender == state.withLock({ $0.logind }) else { return }
        guard let isComing = signal.values.first?.boolean else { return }
        state.withLock { _ = $0.announced.insert(announcement) }
        handle(.announced(announcement, isComing: isComing))
      }
    }
    // It is not started for this.
    let question = SystemBus.Call(Self.bus, busPath, Self.bus, "GetNameOwner", [.string(Self.service)])
    try bus.call(question) { [weak self] answer in
      self?.isThere(as: answer.error == nil ? answer.values.first?.string : nil)
    }
  }

  /// - Parameter name: its own name on the bus; empty or nil while it is not there.
  private func isThere(as name: String?) {
    let name = name.flatMap { $0.isEmpty ? nil : $0 }
    let (before, bus) = state.withLock { state in
      let before = state.logind
      if name != before { state.announced = [] }
      if state.link != nil { state.logind = name }
      return (before, state.link?.bus)
    }
    if before == name { return }
    if before != nil { handle(.disconnected) }
    guard let name, let bus else { return }
    do throws(LinuxError) {
      try ask("InhibitDelayMaxUSec", of: name, on: bus) { [weak self] value in
        guard let patience = value?.number else { return }
        self?.state.withLock { $0.patience = Self.patience(microseconds: patience) }
      }
      // Who cannot say so is awake.
      for (property, announcement) in [
        ("PreparingForSleep", SleepPlan.Announcement.sleep), ("PreparingForShutdown", .shutdown),
      ] {
        try ask(property, of: name, on: bus) { [weak self] value in
          guard let self, !state.withLock({ $0.announced.contains(announcement) }) else { return }
          handle(.announced(announcement, isComing: value?.boolean ?? false))
        }
      }
    } catch {
      report("logind cannot be asked: \(error)")
    }
    handle(.connected)
  }

  private func ask(
    _ property: String, of name: String, on bus: SystemBus, _ answered: @escaping @Sendable (BusValue?) -> Void
  ) throws(LinuxError) {
    let call = SystemBus.Call(
      name, Self.path, "org.freedesktop.DBus.Properties", "Get", [.string(Self.manager), .string(property)])
    try bus.call(call) { [weak self] answer in
      guard let self, state.withLock({ $0.logind }) == name else { return }
      if let error = answer.error { report("logind does not tell \(property): \(error)") }
      answered(answer.values.first?.variant)
    }
  }

  /// A little less than logind's own, so that the machine never waits for nothing.
  static func patience(microseconds: UInt64) -> Duration {
    let all = Duration.microseconds(Int64(min(microseconds, 3_600_000_000)))
    return all - min(all / 10, .milliseconds(500))
  }

  // MARK: What is done

  private func handle(_ input: SleepPlan.Input) {
    for effect in state.withLock({ $0.plan.handle(input) }) { perform(effect) }
  }

  private func perform(_ effect: SleepPlan.Effect) {
    switch effect {
    case .takeLock: takeLock()
    case .dropLock: keep(nil)
    case .pause(let number):
      // Settled is also a service that stops, which does not come to the background any more.
      lifecycle.pause(.sleep, from: .system) { [weak self, loop] _ in
        loop.submit { [weak self] in self?.handle(.settled(number)) }
      }
    case .resume: lifecycle.submit(.resume(.sleep, .system))
    case .arm(let timer):
      let time = timer == .patience ? state.withLock({ $0.patience }) : Self.longestSilence
      let source = loop.timer(after: time) { [weak self] in self?.handle(.overdue(timer)) }
      state.withLock { $0.timers[timer] = source }
    case .disarm(let timer): state.withLock { $0.timers.removeValue(forKey: timer) }?.cancel()
    case .reportOverdue: lifecycle.hub.send(.sleepNotAwaited(after: state.withLock({ $0.patience })))
    }
  }

  private func takeLock() {
    let (bus, logind) = state.withLock { ($0.link?.bus, $0.logind) }
    guard let bus, let logind else { return handle(.lockRefused) }
    let words = ["sleep:shutdown", ProgramName.called, "the service goes to the background first", "delay"]
    let call = SystemBus.Call(logind, Self.path, Self.manager, "Inhibit", words.map { .string($0) })
    do throws(LinuxError) {
      try bus.call(takingDescriptor: call) { [weak self] answer, lock in
        guard let self, state.withLock({ $0.logind }) == logind else { return }
        locked(lock, answer.error)
      }
    } catch {
      locked(nil, error.description)
    }
  }

  private func locked(_ lock: HeldDescriptors?, _ error: String?) {
    if lock == nil { report("logind gives no delay lock: \(error ?? "no descriptor came")") }
    keep(lock)
    handle(lock == nil ? .lockRefused : .lockTaken)
  }

  /// What was held before is closed when nobody has it any more, here.
  private func keep(_ lock: HeldDescriptors?) {
    _ = state.withLock { state in
      defer { state.lock = lock }
      return state.lock
    }
  }

  private func report(_ message: String) { lifecycle.hub.send(.sourceUnusable(.sleep, message: message)) }
}
