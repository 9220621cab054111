import Foundation
import MediatorTestKit

@testable import Mediator

/// One whole life of five listeners, of which one does something wrong, or somebody asks for something, in one event.
final class MatrixLife: Sendable {
  /// What happens in the life, once.
  enum Incident: Sendable {
    case fault(Fault)
    case inputs(String, [LifecycleInput])
  }

  struct Plan: Sendable, CustomStringConvertible {
    var moment: Moment
    var incident: Incident
    var isRequired = true
    var place = 2
    var isConcurrent = false

    var culprit: String { MatrixLife.names[place] }
    /// A later listener refuses the first reload.
    var isRefused: Bool { moment.event == .revertReload }
    var fault: Fault? { if case .fault(let fault) = incident { fault } else { nil } }
    var description: String {
      let what =
        switch incident {
        case .fault(let fault): "\(isRequired ? "required" : "optional") \(culprit) \(fault.rawValue)"
        case .inputs(let name, _): "\(name) asked in \(culprit)"
        }
      return "\(moment), \(what), \(isConcurrent ? "concurrent" : "alone")"
    }
  }

  struct Call: Sendable, CustomStringConvertible {
    var listener: String
    var event: LifecycleEvent
    var reason: LifecycleReason
    /// Whether it has returned.
    var isDone: Bool
    var description: String { "\(listener).\(event.rawValue)(\(reason.rawValue))" }
  }

  /// All that came of it.
  struct Record: Sendable {
    var status: Int32?
    var wasReady = false
    var generation: UInt64 = 0
    var reloads: [ReloadOutcome] = []
    var request: RequestResult?
    var calls: [Call] = []
    /// How many of them came before the end of the first reload.
    var callsBeforeSecondReload = 0
    var reports: [LifecycleReport] = []
    /// What was found wrong on the way.
    var faults: [String] = []
    var stopTook: Duration?
  }

  static let names = ["a", "b", "c", "d", "e"]
  /// Refuses a reload behind all others, where one is to be reverted.
  static let refuser = "z"
  static let timeouts = LifecycleTimeouts(
    start: .seconds(10), reload: .seconds(8), stop: .seconds(9), call: .seconds(6))
  static let slowness = Duration.milliseconds(1500)

  private struct State {
    var hasHappened = false
    var isInside = false
    var wakes: ContinuousClock.Instant?
    var hasRefused = false
    var stopBegan: ContinuousClock.Instant?
    var driver: LifecycleDriver?
  }

  let plan: Plan
  let clock = ManualClock()
  private let state = Shared(State())
  private let record = Shared(Record())
  private let gate = Gate()
  private let block = DispatchSemaphore(value: 0)

  init(_ plan: Plan) { self.plan = plan }

  var hasHappened: Bool { state.withLock(\.hasHappened) }

  // MARK: Living it

  /// Lives it to its end; nil when it does not end.
  func live() async -> (Record, LifecycleDriver)? {
    let driver = LifecycleDriver(clock: clock, timeouts: Self.timeouts) { entries }
    state.withLock { $0.driver = driver }
    let reports = Task {
      for await report in driver.lifecycle.reports { record.withLock { $0.reports.append(report) } }
    }
    let isOver = Shared(false)
    let life = Task {
      await script(driver)
      await reports.value
      isOver.withLock { $0 = true }
    }
    let hasEnded = await turn(driver, until: { isOver.withLock(\.self) })
    state.withLock { $0.driver = nil }
    block.signal()
    await gate.open()
    guard hasEnded else {
      life.cancel()
      return nil
    }
    return (record.withLock(\.self), driver)
  }

  private var entries: [ListenerEntry] {
    let five = Self.names.map { name in
      let entry = ListenerEntry(listener(name))
      return name == plan.culprit && !plan.isRequired ? entry.optional() : entry
    }
    let last = plan.isRefused ? [ListenerEntry(listener(Self.refuser))] : []
    return plan.isConcurrent ? [Concurrently { for entry in five { entry } }] + last : five + last
  }

  private func listener(_ name: String) -> MatrixListener {
    MatrixListener(name: name) { [weak self] event, reason in try await self?.told(name, event, reason) }
  }

  private func script(_ driver: LifecycleDriver) async {
    let lifecycle = driver.lifecycle
    driver.run()
    // Not `state(.foreground)`: a pause that was asked for in the start may have left it before this task goes on.
    await eventually { lifecycle.state != .notStarted && lifecycle.state != .starting }
    if lifecycle.state != .stopping, lifecycle.state != .stopped {
      rest(.didBecomeActive, driver)
      for _ in 0..<2 {
        let outcome = await driver.reload()
        record.withLock { record in
          record.reloads.append(outcome)
          if record.reloads.count == 1 { record.callsBeforeSecondReload = record.calls.count }
        }
        rest(.didBecomeActive, driver)
      }
      await driver.signal(MatrixListener.signal)
      await driver.warn(of: MemoryPressure(level: .some))
      await driver.settleLoop()
      restStatus(driver)
      let answer = await driver.send(LifecycleRequest("verb"))
      record.withLock { $0.request = answer }
      try? await driver.pause()
      rest(.didEnterBackground, driver)
      try? await driver.resume()
      rest(.didBecomeActive, driver)
      if let scene = try? await lifecycle.connect(scene: "s", kind: "k") {
        await scene.enterBackground()
        await scene.enterForeground()
        await scene.disconnect()
        if lifecycle.state != .stopping, lifecycle.state != .stopped { await scene.discard() }
      }
      await eventually { Self.isAtRest(lifecycle) }
    }
    let status = await driver.stop()
    let now = clock.now
    let began = state.withLock(\.stopBegan)
    record.withLock { record in
      record.status = status
      record.generation = lifecycle.generation
      record.stopTook = began.map { $0.duration(to: now) }
    }
  }

  /// Whether nothing that was asked for is still to be done, or it stops.
  private static func isAtRest(_ lifecycle: Lifecycle) -> Bool {
    switch lifecycle.core.withLock(\.machine.phase) {
    case .foreground, .background, .stopping, .stopped: true
    case .notStarted, .starting, .pausing, .resuming, .reloading: false
    }
  }

  /// Where the service stands still, everybody who serves stands where it does.
  private func rest(_ place: LifecycleEvent, _ driver: LifecycleDriver) {
    // Inputs of their own may have moved it meanwhile.
    guard plan.fault != nil, driver.lifecycle.state == (place == .didBecomeActive ? .foreground : .background)
    else { return }
    let standing: Set<LifecycleEvent> = [
      .didFinishLaunching, .willEnterForeground, .didBecomeActive, .willResignActive, .didEnterBackground,
    ]
    for name in Self.names where name != plan.culprit || !hasHappened {
      let last = driver.events.last { $0.listener == name && standing.contains($0.event) }?.event
      if last != place {
        let standing = last?.rawValue ?? "nowhere"
        record.withLock { $0.faults.append("\(name) stands in \(standing) while the service is in \(place.rawValue)") }
      }
    }
  }

  /// Where the service stands still, STATUS says what has gone wrong in a signal or a warning.
  private func restStatus(_ driver: LifecycleDriver) {
    let events: [LifecycleEvent] = [.didReceiveSignal, .didReceiveMemoryWarning]
    guard let fault = plan.fault, fault != .slow, events.contains(plan.moment.event) else { return }
    let status = driver.notifyMessages.last ?? ""
    if !status.hasPrefix("STATUS=degraded: \(plan.culprit): ") {
      record.withLock { $0.faults.append("after the occurrence: \(status)") }
    }
  }

  // MARK: Told

  private func told(_ name: String, _ event: LifecycleEvent, _ reason: LifecycleReason) async throws {
    // What is saved after a reload is not what this life is about.
    if event == .encodeState, state.withLock(\.driver)?.lifecycle.state != .stopping { return }
    record.withLock { $0.calls.append(Call(listener: name, event: event, reason: reason, isDone: false)) }
    let (happens, refuses) = state.withLock { state in
      if reason == .stop, state.stopBegan == nil { state.stopBegan = clock.now }
      let happens = name == plan.culprit && plan.moment.matches(event, reason) && !state.hasHappened
      if happens { state.hasHappened = true }
      let refuses = name == Self.refuser && event == .reload && !state.hasRefused
      if refuses { state.hasRefused = true }
      return (happens, refuses)
    }
    if refuses { throw POSIXError(.EPERM) }
    if happens { try await happen() }
    record.withLock { $0.calls.append(Call(listener: name, event: event, reason: reason, isDone: true)) }
  }

  private func happen() async throws {
    switch plan.incident {
    case .inputs(_, let inputs):
      guard let driver = state.withLock(\.driver) else { return }
      for input in inputs { driver.submit(input) }
      // All of it has been looked at while this listener is still inside.
      await driver.settleLoop()
    case .fault(let fault):
      if fault == .throwing { throw POSIXError(.EINVAL) }
      let wakes = clock.now + Self.slowness
      state.withLock { state in
        state.wakes = wakes
        state.isInside = true
      }
      defer { state.withLock { $0.isInside = false } }
      switch fault {
      case .hanging: await gate.pass()
      case .waiting: try await Task.sleep(for: .seconds(600))
      case .blocking: MediatorTests.block(on: block)
      case .slow: try await clock.sleep(until: wakes)
      case .throwing: break
      }
    }
  }

  // MARK: Time

  /// Turns the clock, from one sleeper to the next, while and only while nothing goes on without it.
  private func turn(_ driver: LifecycleDriver, until isOver: () -> Bool) async -> Bool {
    while !isOver() {
      guard await eventually(within: .seconds(60), { isOver() || self.needsTime(driver) }) else { return false }
      await driver.settleLoop()
      guard !isOver(), needsTime(driver) else { continue }
      if !clock.advanceToNext() { return false }
      await driver.settleLoop()
    }
    return true
  }

  /// Whether only the culprit is being told, and only time will change that.
  private func needsTime(_ driver: LifecycleDriver) -> Bool {
    let (isInside, wakes) = state.withLock { ($0.isInside, $0.wakes) }
    guard isInside, let fault = plan.fault else { return false }
    if plan.isConcurrent {
      let done = record.withLock { record in
        Set(record.calls.filter { $0.isDone && plan.moment.matches($0.event, $0.reason) }.map(\.listener))
      }
      guard done.isSuperset(of: Self.names.filter { $0 != plan.culprit }) else { return false }
      // Their calls have returned; so must their branches have, or time would run out for somebody innocent.
      guard openBranches(driver).count <= 1 else { return false }
    }
    switch fault {
    case .throwing: return false
    case .slow: return wakes.map { clock.now < $0 } ?? false
    case .waiting: return !isCancelled(driver)
    case .hanging, .blocking: return !isLeftBehind(driver)
    }
  }

  /// Whether whoever is being told was asked to return, because its time is over.
  private func isCancelled(_ driver: LifecycleDriver) -> Bool {
    guard let walk = driver.mediator.state.withLock(\.walk)?.0 else { return false }
    return walk.state.withLock(\.isOverdue) || openBranches(driver).contains { $0.state.withLock(\.isOverdue) }
  }

  /// The branches of a concurrent group that have not ended.
  private func openBranches(_ driver: LifecycleDriver) -> [Walk] {
    let branches = driver.mediator.state.withLock(\.walk)?.0.state.withLock(\.branches) ?? []
    return branches.filter { !$0.state.withLock(\.isOver) }
  }

  private func isLeftBehind(_ driver: LifecycleDriver) -> Bool {
    driver.mediator.state.withLock(\.list).all.contains { $0.name == plan.culprit && $0.isStuck }
  }
}
