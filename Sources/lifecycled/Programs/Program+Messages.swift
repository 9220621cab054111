internal import Glibc
internal import Mediator
internal import MediatorLinux

/// What the program says through sd_notify(3).
extension Program {
  /// Reads what is there; also before its end is looked at, and once more after it.
  func readMessages(of copy: ProgramCopy) {
    while let receiver = copy.state.withLock({ $0.receiver }) {
      guard let datagrams = try? receiver.receive(), !datagrams.isEmpty else { return }
      for datagram in datagrams { take(datagram, of: copy) }
    }
  }

  private func take(_ datagram: NotifyReceiver.Datagram, of copy: ProgramCopy) {
    // Closed in the end, unless somebody keeps them.
    let held = datagram.held()
    guard copy === self.copy, let message = NotifyMessage(datagram.bytes, isTruncated: datagram.isTruncated) else {
      return
    }
    let access = machine.definition.effectiveNotifyAccess
    let isOfProgram = datagram.uid == copy.state.withLock({ $0.uid }) || datagram.uid == getuid()
    let refusal = access.refusal(
      sender: datagram.pid, mainProcess: copy.state.withLock { $0.child?.processID }, isInProgram: isOfProgram)
    if let refusal { return refuse(access == .main ? "NotifyAccess" : refusal, refusal, copy) }
    // Its descriptor is closed when all before it was taken.
    if message.isBarrier { return }
    if message.claimsMainProcess {
      refuse("MAINPID", "refused MAINPID=: the main process stays the one we started", copy)
    }
    if let refusal = surroundings.store.take(message, held, of: title) { refuse(refusal, refusal, copy) }
    take(message, of: copy)
  }

  private func take(_ message: NotifyMessage, of copy: ProgramCopy) {
    if let errno = message.errno { self.errno = errno == 0 ? nil : errno }
    if let error = message.busError { busError = error }
    observer.said(message)
    if let status = message.status { submit(.said(status)) }
    if message.pingsWatchdog { copy.state.withLock { $0.pinged = .now } }
    if let time = message.extendTimeout { submit(.asksForTime(.microseconds(min(time, ForwardedMessage.mostTime)))) }
    if let change = message.change { submit(.declared(change)) }
    if message.triggersWatchdog { submit(.healthAnswer("it sent WATCHDOG=trigger")) }
  }

  private func refuse(_ key: String, _ text: String, _ copy: ProgramCopy) {
    let isNew = copy.state.withLock { $0.refusals.insert(key).inserted }
    if isNew { log.log(.warning, "program \(title): \(text)") }
  }
}

extension ProgramDefinition {
  /// What `NotifyAccess=` comes to when it is not written.
  var effectiveNotifyAccess: NotifyAccess {
    notifyAccess ?? (readiness == .notify || health == .notify ? .main : .none)
  }
}
