import Foundation
import MediatorTestKit
import Testing

@testable import Mediator

@Suite("The matrix of faults", .serialized, .timeLimit(.minutes(5)))
struct FaultMatrixTests {
  typealias Plan = MatrixLife.Plan

  /// What is wrong with one life.
  private static func faults(of plan: Plan, _ fault: Fault) async -> [String] {
    let life = MatrixLife(plan)
    guard let (record, driver) = await life.live() else { return ["it does not end"] }
    if !life.hasHappened { return ["nothing happened in it"] }
    var faults = MatrixChecks(plan, record, driver).faults
    let oracle = MatrixOracle(plan: plan, fault: fault)
    let messages = driver.notifyMessages
    let wasReady = messages.contains { $0.hasSuffix("READY=1") }
    if let ready = oracle.isReady, ready != wasReady { faults.append(wasReady ? "READY" : "no READY") }
    let statuses = oracle.statuses(wasReady: wasReady)
    if let status = record.status, !statuses.contains(status) {
      faults.append("exit \(status), not \(statuses.sorted())")
    }
    if oracle.isNamed, !messages.contains(where: { says($0, plan.culprit) }) { faults.append("STATUS names nobody") }
    if wasReady {
      faults += reloadFaults(record, oracle, messages)
      if !oracle.requests.contains(record.request) { faults.append("the request came to \(record.request as Any)") }
    } else if !messages.contains(where: { $0.contains("ERRNO=\(oracle.errno)") && $0.contains("STOPPING=1") }) {
      faults.append("no ERRNO with STOPPING")
    }
    return faults
  }

  private static func says(_ message: String, _ name: String) -> Bool {
    let status = message.split(separator: "\n").first { $0.hasPrefix("STATUS=") } ?? ""
    return status.contains(" \(name): ") || status.contains("=\(name): ")
  }

  /// The two reloads of a life: the first as the oracle says, the second without trouble.
  private static func reloadFaults(
    _ record: MatrixLife.Record, _ oracle: MatrixOracle, _ messages: [String]
  ) -> [String] {
    var faults: [String] = []
    let ends = Array(messages.filter { $0.hasSuffix("READY=1") }.dropFirst())
    guard record.reloads.count == 2, ends.count == 2 else { return ["\(ends.count) reloads have ended"] }
    let succeeded = record.reloads.map { if case .reloaded = $0 { true } else { false } }
    if let expected = oracle.firstReloadSucceeds, expected != succeeded[0] {
      faults.append("the first reload \(succeeded[0] ? "succeeded" : "failed")")
    }
    if oracle.secondReloadSucceeds != succeeded[1] {
      faults.append("the second reload \(succeeded[1] ? "succeeded" : "failed")")
    }
    if !succeeded[1], !says(ends[1], oracle.plan.culprit) || !ends[1].contains("STATUS=reload failed: ") {
      faults.append("the second reload's STATUS: \(ends[1])")
    }
    let expected = UInt64(1 + succeeded.count { $0 })
    if record.generation != expected { faults.append("generation \(record.generation), not \(expected)") }
    if let name = oracle.reloadNames, !says(ends[0], name) { faults.append("the reload's STATUS: \(ends[0])") }
    if !succeeded[0] {
      if !ends[0].contains("STATUS=reload failed: ") { faults.append("the failed reload's STATUS: \(ends[0])") }
      if !ends[0].contains("ERRNO=") || ends[0].contains("ERRNO=0") { faults.append("no ERRNO: \(ends[0])") }
      if succeeded[1], !ends[1].contains("ERRNO=0\n") { faults.append("ERRNO sticks: \(ends[1])") }
      faults += revertFaults(record)
    }
    return faults
  }

  /// Exactly those are reverted whose `reload` has returned.
  private static func revertFaults(_ record: MatrixLife.Record) -> [String] {
    let calls = record.calls.prefix(record.callsBeforeSecondReload)
    let reloaded = Set(calls.filter { $0.event == .reload && $0.isDone }.map(\.listener))
    let reverted = Set(calls.filter { $0.event == .revertReload }.map(\.listener))
    return reloaded == reverted ? [] : ["reloaded \(reloaded.sorted()), reverted \(reverted.sorted())"]
  }

  static var plans: [(Plan, Fault)] {
    var plans: [(Plan, Fault)] = []
    for moment in Moment.all {
      for fault in Fault.allCases {
        for isRequired in [true, false] {
          for place in [0, 2, 4] {
            for isConcurrent in [false, true] {
              plans.append(
                (
                  Plan(
                    moment: moment, incident: .fault(fault), isRequired: isRequired, place: place,
                    isConcurrent: isConcurrent), fault
                ))
            }
          }
        }
      }
    }
    return plans
  }

  @Test("Every event × fault × required or optional × place × alone or concurrent")
  func faults() async {
    let began = ContinuousClock.now
    let plans = Self.plans
    let found = await MatrixLife.inParallel(plans) { plan, fault in
      await Self.faults(of: plan, fault).map { "\(plan): \($0)" }
    }
    MatrixLife.summarize("faults", plans.count, found, began)
    #expect(plans.count == Moment.all.count * Fault.allCases.count * 12)
  }
}

extension MatrixLife {
  /// Lives through all of them, a few at a time, and returns what is wrong with each.
  static func inParallel<Plan: Sendable>(
    _ plans: [Plan], _ live: @escaping @Sendable (Plan) async -> [String]
  ) async -> [[String]] {
    await withTaskGroup(of: (Int, [String]).self) { group in
      var found = [[String]](repeating: [], count: plans.count)
      for (index, plan) in plans.enumerated() {
        // So many that both cores have work, and so few that few threads are blocked at once.
        if index >= 6, let (index, faults) = await group.next() { found[index] = faults }
        group.addTask { (index, await live(plan)) }
      }
      for await (index, faults) in group { found[index] = faults }
      return found
    }
  }

  static func summarize(_ name: String, _ count: Int, _ found: [[String]], _ began: ContinuousClock.Instant) {
    let wrong = found.filter { !$0.isEmpty }
    print("matrix of \(name): \(count) lives, \(count - wrong.count) as decided, in \(ContinuousClock.now - began)")
    if let path = ProcessInfo.processInfo.environment["MATRIX_OUT"].map({ "\($0).\(name)" }) {
      try? wrong.flatMap(\.self).joined(separator: "\n").write(toFile: path, atomically: true, encoding: .utf8)
    }
    for faults in wrong.prefix(40) { Issue.record("\(faults.joined(separator: "; "))") }
  }
}
