import Foundation
import MediatorTestKit
import Testing

@testable import Mediator

@Suite("The matrix of inputs", .serialized, .timeLimit(.minutes(5)))
struct InputMatrixTests {
  typealias Plan = MatrixLife.Plan

  /// What arrives while a listener is inside an event.
  enum Arrival: String, CaseIterable {
    case reload, stop, secondStop, pause, resume, signal

    var inputs: [LifecycleInput] {
      let terminate = LifecycleOrigin.signal(number: SignalNumber(15), senderPID: 1, senderUID: 0, value: nil)
      let other = LifecycleOrigin.signal(number: MatrixListener.signal, senderPID: 1, senderUID: 0, value: nil)
      switch self {
      case .reload: return [.reload(terminate)]
      case .stop: return [.stop(terminate)]
      case .secondStop: return [.stop(terminate), .stop(terminate)]
      case .pause: return [.pause(.operator, terminate)]
      // It ends the pause that the life itself asks for.
      case .resume: return [.resume(.embedder, terminate)]
      case .signal: return [.signal(other)]
      }
    }

    var stops: Bool { self == .stop || self == .secondStop }
  }

  private static func faults(of plan: Plan, _ arrival: Arrival) async -> [String] {
    let life = MatrixLife(plan)
    guard let (record, driver) = await life.live() else { return ["it does not end"] }
    if !life.hasHappened { return ["nothing happened in it"] }
    var faults = MatrixChecks(plan, record, driver).faults
    if record.status != 0 { faults.append("exit \(record.status as Any)") }
    let isStopping = Moment.stop.contains(plan.moment)
    if arrival.stops {
      faults += stopFaults(plan, record, driver)
    } else {
      // The two reloads of every life, of which one may be refused, and the one that arrived.
      let extra = arrival == .reload && !isStopping ? 1 : 0
      let expected = UInt64(3 + extra - (plan.isRefused ? 1 : 0))
      if record.generation != expected { faults.append("generation \(record.generation), not \(expected)") }
      let reloadings = driver.notifyMessages.count { $0.hasPrefix("RELOADING=1") }
      if reloadings != 2 + extra { faults.append("\(reloadings) RELOADING") }
    }
    faults += eventFaults(plan, arrival, driver, isStopping)
    return faults
  }

  /// A stop that was asked for: everything after it leads to the end.
  private static func stopFaults(
    _ plan: Plan, _ record: MatrixLife.Record, _ driver: LifecycleDriver
  ) -> [String] {
    var faults: [String] = []
    let forward: Set<LifecycleEvent> = [
      .didFinishLaunching, .prepareReload, .reload, .willEnterForeground, .didBecomeActive,
    ]
    let ends = driver.events.lastIndex { forward.contains($0.event) && !plan.moment.matches($0.event, $0.reason) }
    let first = driver.events.firstIndex {
      plan.moment.matches($0.event, $0.reason) && $0.listener == plan.culprit
    }
    if let ends, let first, ends > first { faults.append("told \(driver.events[ends]) after the stop") }
    // Nobody else hears of what leads away from the stop.
    if !plan.isConcurrent, let first, forward.contains(plan.moment.event) {
      let later = driver.events[(first + 1)...].filter { plan.moment.matches($0.event, $0.reason) }
      if !later.isEmpty { faults.append("told \(later) after the stop") }
    }
    if Moment.start.contains(plan.moment), driver.notifyMessages.contains(where: { $0.contains("READY=1") }) {
      faults.append("READY after the stop")
    }
    if plan.moment == Moment(.reload, .reload) || plan.moment == Moment(.prepareReload, .reload) {
      if record.generation != 1 { faults.append("generation \(record.generation)") }
      if record.reloads != [.droppedByStop, .droppedByStop] { faults.append("the reload came to \(record.reloads)") }
      let reloaded = Set(record.calls.filter { $0.event == .reload && $0.isDone }.map(\.listener))
      let reverted = Set(record.calls.filter { $0.event == .revertReload }.map(\.listener))
      if reloaded != reverted { faults.append("reloaded \(reloaded.sorted()), reverted \(reverted.sorted())") }
    }
    return faults
  }

  /// What the service does of what arrived, once it can.
  private static func eventFaults(
    _ plan: Plan, _ arrival: Arrival, _ driver: LifecycleDriver, _ isStopping: Bool
  ) -> [String] {
    switch arrival {
    case .pause:
      let paused = driver.events.filter { $0.event == .didEnterBackground && $0.reason == .pause }
      // The life's own pause comes while the service is paused already, and ends without an end of the pause.
      let resumed = driver.events.filter { $0.event == .didBecomeActive && $0.reason == .pause }
      let count = MatrixLife.names.count + (plan.isRefused ? 1 : 0)
      if isStopping { return paused.count == count ? [] : ["\(paused.count) were paused"] }
      return paused.count - resumed.count == count ? [] : ["\(paused.count) were paused, \(resumed.count) resumed"]
    case .signal:
      let told = driver.events.count { $0.event == .didReceiveSignal }
      let count = MatrixLife.names.count + (plan.isRefused ? 1 : 0)
      let arrives = !isStopping && !Moment.start.contains(plan.moment)
      return told == count * (arrives ? 2 : 1) ? [] : ["\(told) heard signals"]
    case .reload, .stop, .secondStop, .resume: return []
    }
  }

  static var plans: [(Plan, Arrival)] {
    Moment.all.flatMap { moment in
      Arrival.allCases.flatMap { arrival in
        [0, 2, 4].flatMap { place in
          [false, true].map { isConcurrent in
            let incident = MatrixLife.Incident.inputs(arrival.rawValue, arrival.inputs)
            return (Plan(moment: moment, incident: incident, place: place, isConcurrent: isConcurrent), arrival)
          }
        }
      }
    }
  }

  @Test("Every event × reload, stop, second stop, pause, resume, signal while a listener is inside it")
  func inputs() async {
    let began = ContinuousClock.now
    let plans = Self.plans
    let found = await MatrixLife.inParallel(plans) { plan, arrival in
      await Self.faults(of: plan, arrival).map { "\(plan): \($0)" }
    }
    MatrixLife.summarize("inputs", plans.count, found, began)
    #expect(plans.count == Moment.all.count * Arrival.allCases.count * 6)
  }
}
