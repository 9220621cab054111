import Foundation

@testable import Mediator

/// What the design's decided questions say of one life with one fault; it knows nothing of how they are carried out.
///
/// Where the design leaves two answers, both are among the expected ones.
struct MatrixOracle {
  var plan: MatrixLife.Plan
  var fault: Fault

  private var moment: Moment { plan.moment }
  private var fails: Bool { fault != .slow }
  /// Whoever comes after the culprit is told nothing of the event when the time of the whole is over.
  private var isLastToBeTold: Bool {
    plan.isConcurrent || plan.place == (moment.event.isReversed ? 0 : MatrixLife.names.count - 1)
  }

  var isStart: Bool { Moment.start.contains(moment) }
  private var isRunning: Bool {
    Moment.pause.contains(moment) || Moment.reload.contains(moment) || moment.event == .didReceiveSignal
      || moment.event == .didReceiveMemoryWarning
  }
  private var isScene: Bool { moment.event.isOfScene }
  private var isDecision: Bool { moment.event == .prepareReload || moment.event == .reload }

  /// Whether READY is to come; nil where both will do.
  ///
  /// An optional listener that uses up the whole start's time leaves a service that is degraded when everybody else
  /// has been told, and otherwise one that has not started.
  var isReady: Bool? {
    guard isStart, fails else { return true }
    if plan.isRequired { return false }
    return fault.timesOut ? nil : true
  }

  /// The exit statuses that will do.
  func statuses(wasReady: Bool) -> Set<Int32> {
    guard fails else { return [0] }
    if isStart { return wasReady ? [0] : [69] }
    guard plan.isRequired else { return [0] }
    // The design does not say whether a scene's trouble is the service's.
    if isScene { return [0, 70] }
    if Moment.stop.contains(moment) { return fault.timesOut ? [75] : [70] }
    if isDecision || moment.event == .didReceiveRequest { return [0] }
    return isRunning ? [70] : [0]
  }

  /// Whether the first of the two reloads succeeds; nil where both will do.
  var firstReloadSucceeds: Bool? {
    if plan.isRefused { return false }
    guard fails, Moment.reload.contains(moment) else { return true }
    switch moment.event {
    case .prepareReload, .reload:
      if plan.isRequired { return false }
      if fault.timesOut { return isLastToBeTold ? nil : false }
      return true
    // It has changed nothing yet when the time is over.
    case .willResignActive, .didEnterBackground: return !fault.timesOut
    // It is in force already.
    default: return fault.timesOut ? nil : true
    }
  }

  /// Whether the second one, in which nobody fails, succeeds: not without somebody required who was left behind.
  var secondReloadSucceeds: Bool {
    !(Moment.reload.contains(moment) && plan.isRequired && fault.isLeftBehind)
  }

  /// Who, or whose refusal, STATUS has to name in the end of the first reload.
  var reloadNames: String? {
    if plan.isRefused { return MatrixLife.refuser }
    return fails && Moment.reload.contains(moment) ? plan.culprit : nil
  }

  /// Whether STATUS has to name the culprit at some time.
  var isNamed: Bool {
    guard fails else { return false }
    if plan.isRefused { return plan.isRequired }
    if isStart || Moment.reload.contains(moment) || Moment.pause.contains(moment) { return true }
    if moment.event == .didReceiveSignal || moment.event == .didReceiveMemoryWarning { return true }
    return Moment.stop.contains(moment) && plan.isRequired
  }

  /// What may have come of the request: a throw refuses it, also that of somebody who was asked to return.
  var requests: [RequestResult?] {
    guard moment.event == .didReceiveRequest else { return [.unclaimed] }
    switch fault {
    case .throwing: return [.refused(by: plan.culprit, ListenerFailure.words(of: POSIXError(.EINVAL)))]
    case .waiting: return [.refused(by: plan.culprit, "CancellationError()"), .unclaimed]
    case .hanging, .blocking, .slow: return [.unclaimed]
    }
  }

  var errno: Int32 { fault.timesOut ? POSIXErrorCode.ETIMEDOUT.rawValue : POSIXErrorCode.EINVAL.rawValue }
}
