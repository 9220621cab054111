internal import Mediator
internal import MediatorLinux

/// The signals that the bridge owns: claimed when it is made, watched while it runs, put back at its end.
final class BridgeSignals: Sendable {
  private let map: Shared<SignalMap>
  private let source: SignalSource
  private let takenBack = Locked<Set<Int32>>([])
  private let watch = Locked<EventSource?>(nil)

  /// nil when the host owns the signals.
  init?(
    _ ownership: LifecycleBridge.SignalOwnership, environment: ManagerEnvironment,
    overriding: [SignalNumber: SignalAction], named: Set<SignalNumber>
  ) throws(LinuxError) {
    guard case .bridge(let exceptions) = ownership else { return nil }
    let situation = SignalMap.Situation(
      onTerminal: environment.onTerminal, ignoresHangup: SignalSource.inheritedIgnored(SignalNumber.hangup.rawValue))
    let map = SignalMap(situation, overriding: overriding, named: named, exceptFor: exceptions)
    self.map = Shared(map)
    source = try SignalSource(
      claiming: Set(map.claimed.map(\.rawValue)), ignoring: Set(map.ignored.map(\.rawValue)))
  }

  /// Hands over each arrival; what it means depends on whether anything can be reloaded at that moment.
  func start(
    on loop: EventLoop, _ handler: @escaping @Sendable (LifecycleOrigin, (Bool) -> SignalAction) -> Void
  ) throws(LinuxError) {
    try source.start(on: loop) { [map] record in
      let number = SignalNumber(record.number)
      let origin = LifecycleOrigin.signal(
        number: number, senderPID: record.senderPID, senderUID: record.senderUID, value: record.value)
      let map = map.withLock({ $0 })
      handler(origin) { map.action(for: number, fromKernel: record.fromKernel, canReload: $0) }
    }
  }

  /// Claims signals that a listener names that came later.
  func claim(_ numbers: Set<SignalNumber>, reportingTo hub: ReportHub) {
    let claimed = map.withLock { map in
      map.name(numbers)
      return map.claimed
    }
    do throws(LinuxError) {
      try source.extend(by: Set(claimed.map(\.rawValue)))
    } catch {
      hub.send(.signalsNotClaimed(numbers, message: error.description))
    }
  }

  /// Takes back, once each, the signals that somebody else has taken meanwhile, and looks again every minute.
  ///
  /// A Dispatch signal source takes a signal silently from whoever had it.
  func guardEveryMinute(on loop: EventLoop, reportingTo hub: ReportHub) {
    let next = loop.timer(after: .seconds(60)) { [weak self] in
      self?.takeBack(reportingTo: hub)
      self?.guardEveryMinute(on: loop, reportingTo: hub)
    }
    watch.withLock { $0 = next }
  }

  func takeBack(reportingTo hub: ReportHub) {
    let stolen = takenBack.withLock { takenBack in
      let stolen = source.stolen().subtracting(takenBack)
      takenBack.formUnion(stolen)
      return stolen
    }
    guard !stolen.isEmpty, (try? source.reclaim(stolen)) != nil else { return }
    hub.send(.signalsReclaimed(Set(stolen.map(SignalNumber.init))))
  }

  /// Puts the dispositions back.
  func release() {
    watch.withLock { $0?.cancel() }
    source.release()
  }
}
