import Foundation
import Mediator
import MediatorTestKit

/// What has to hold of every life, whatever went wrong in it: the design's invariants, by what was seen from outside.
struct MatrixChecks {
  let plan: MatrixLife.Plan
  let record: MatrixLife.Record
  let driver: LifecycleDriver
  private(set) var faults: [String]

  init(_ plan: MatrixLife.Plan, _ record: MatrixLife.Record, _ driver: LifecycleDriver) {
    self.plan = plan
    self.record = record
    self.driver = driver
    faults = record.faults
    checkDatagrams()
    checkExtensions()
    checkListeners()
    checkOrder()
    checkReports()
    if let took = record.stopTook, took > MatrixLife.timeouts.stop! { faults.append("the stop took \(took)") }
    if let forced = driver.forcedExitStatus { faults.append("forced with \(forced)") }
  }

  /// Who has finished its start without a failure.
  private var hasStarted: Set<String> {
    Set(record.calls.filter { $0.isDone && $0.event == .didFinishLaunching }.map(\.listener))
  }

  private var everybody: [String] { MatrixLife.names + (plan.isRefused ? [MatrixLife.refuser] : []) }

  // MARK: Datagrams

  /// Invariants 1 to 3, and what is allowed after STOPPING.
  private mutating func checkDatagrams() {
    enum Told { case nothing, ready, reloading, stopping }
    var told = Told.nothing
    for message in driver.notifyMessages {
      let lines = message.split(separator: "\n")
      let keys = Set(lines.map { $0.prefix { $0 != "=" } })
      switch told {
      case .stopping:
        if !keys.isSubset(of: ["STATUS", "ERRNO"]) { faults.append("after STOPPING: \(message)") }
        continue
      case .nothing: if keys.contains("RELOADING") { faults.append("RELOADING before READY") }
      case .ready: if keys.contains("READY") { faults.append("READY after READY") }
      case .reloading: if keys.contains("RELOADING") { faults.append("RELOADING after RELOADING") }
      }
      if keys.contains("READY") {
        if told == .nothing { checkFirstReady() }
        told = .ready
      }
      if keys.contains("RELOADING") {
        if !keys.isSuperset(of: ["MONOTONIC_USEC", "STATUS"]) { faults.append("RELOADING without: \(message)") }
        told = .reloading
      }
      if keys.contains("STOPPING") { told = .stopping }
    }
    if told != .stopping { faults.append("the end without STOPPING") }
  }

  private mutating func checkFirstReady() {
    let optional: Set = plan.isRequired ? [] : [plan.culprit]
    let missing = Set(everybody).subtracting(hasStarted).subtracting(optional)
    if !missing.isEmpty { faults.append("READY, and \(missing.sorted()) have not started") }
  }

  private mutating func checkExtensions() {
    for message in driver.extensionMessages {
      let lines = message.split(separator: "\n")
      let asked = lines.first { $0.hasPrefix("EXTEND_TIMEOUT_USEC=") }.flatMap { Int($0.dropFirst(20)) } ?? 0
      if asked < 1 || asked > 5_000_000 || lines.contains(where: { !$0.hasPrefix("EXTEND") && !$0.hasPrefix("STATUS") })
      {
        faults.append("a wait of \(message)")
      }
    }
  }

  // MARK: Listeners

  /// Invariant 4.
  private mutating func checkListeners() {
    let isStuck = plan.fault?.isLeftBehind == true
    for name in everybody {
      let told = driver.events.filter { $0.listener == name }.map(\.event)
      checkStartAndEnd(name, told, mayLackEnd: isStuck && name == plan.culprit)
      checkPlaces(name, told)
    }
    guard isStuck else { return }
    let told = driver.events.filter { $0.listener == plan.culprit }
    guard let last = told.last, plan.moment.matches(last.event, last.reason) || plan.moment.reason == nil,
      last.event == plan.moment.event
    else { return faults.append("\(plan.culprit) was left behind, and then told \(told.last?.description ?? "")") }
  }

  private mutating func checkStartAndEnd(_ name: String, _ told: [LifecycleEvent], mayLackEnd: Bool) {
    let start = told.firstIndex(of: .didFinishLaunching)
    let before = told[..<(start ?? told.endIndex)]
    if !before.allSatisfy({ $0 == .willFinishLaunching }) {
      faults.append("\(name) was told before its start: \(told)")
    }
    for event in [LifecycleEvent.willFinishLaunching, .didFinishLaunching, .willTerminate]
    where told.count(where: { $0 == event }) > 1 {
      faults.append("\(name) was told \(event) twice")
    }
    let hasEnded = told.contains(.willTerminate)
    if hasEnded, told.last != .willTerminate { faults.append("\(name) was told more after its end") }
    if start == nil, hasEnded { faults.append("\(name) was stopped, and never started") }
    if start != nil, !hasEnded, !mayLackEnd { faults.append("\(name) was started, and never stopped") }
  }

  /// Foreground and background alternate, and each has its announcement.
  private mutating func checkPlaces(_ name: String, _ told: [LifecycleEvent]) {
    var before = LifecycleEvent.didFinishLaunching
    for event in told {
      let allowed: Set<LifecycleEvent>
      switch event {
      case .willEnterForeground: allowed = [.didFinishLaunching, .didEnterBackground]
      case .didBecomeActive: allowed = [.willEnterForeground]
      case .willResignActive: allowed = [.didBecomeActive]
      case .didEnterBackground: allowed = [.willEnterForeground, .didBecomeActive, .willResignActive]
      case .willTerminate: allowed = [.didFinishLaunching, .didEnterBackground]
      default: continue
      }
      // A listener whose start has failed hears nothing but its end.
      if !allowed.contains(before) { faults.append("\(name) was told \(event) after \(before)") }
      before = event
    }
  }

  /// Registration order forward, reverse backward, among those told.
  private mutating func checkOrder() {
    let places = Dictionary(uniqueKeysWithValues: everybody.enumerated().map { ($1, $0) })
    var run: [RecordedEvent] = []
    for event in driver.events + [RecordedEvent("", .willFinishLaunching, .stop)] {
      let isAnother = run.last.map { $0.event != event.event || $0.reason != event.reason } ?? false
      // Told once more, of the next event of the same name.
      if isAnother || run.contains(where: { $0.listener == event.listener }) {
        check(run, places)
        run = []
      }
      run.append(event)
    }
  }

  private mutating func check(_ run: [RecordedEvent], _ places: [String: Int]) {
    guard let event = run.first?.event, !plan.isConcurrent else { return }
    let order = run.compactMap { places[$0.listener] }
    let isReversed = [
      .willResignActive, .didEnterBackground, .willTerminate, .revertReload, .encodeState, .sceneWillResignActive,
      .sceneDidEnterBackground, .sceneDidDisconnect, .sceneDidDiscard,
    ].contains(event)
    let expected = isReversed ? order.sorted(by: >) : order.sorted()
    if order != expected { faults.append("\(event) in the order \(run.map(\.listener))") }
  }

  // MARK: Reports

  /// Invariant 8, and that the end is the last report.
  private mutating func checkReports() {
    var open: [UInt64: LifecycleEvent] = [:]
    for report in record.reports {
      switch report {
      case .eventBegan(let event, _, _, let serial): open[serial] = event
      case .eventEnded(_, _, let serial, _, _):
        if open.removeValue(forKey: serial) == nil { faults.append("\(serial) ended, and had not begun") }
      default: break
      }
    }
    if !open.isEmpty { faults.append("never ended: \(open.values.map(\.rawValue))") }
    guard case .finished(let status)? = record.reports.last, status == record.status else {
      return faults.append("the last report is not the end")
    }
  }
}
