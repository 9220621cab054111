/// What can be written of a program and still cannot be meant, in a file as well as on a command line.
extension ProgramDefinition {
  /// Its delay is not over when its time to get ready is.
  var isNeverReady: Bool {
    if case .delay(let delay)? = readiness { !delay.isShorter(than: readyTimeout) } else { false }
  }

  /// It waits for messages that nobody may send.
  var listensToNobody: Bool { notifyAccess == NotifyAccess.none && (readiness == .notify || health == .notify) }

  /// Whether its new copy is ready cannot be told from that the old one is.
  var isReadyByTheOldCopy: Bool {
    guard reload == .overlap else { return false }
    switch readiness {
    case nil, .tcp, .unix, .http, .file: return true
    case .notify, .exec, .log, .descriptor, .delay: return false
    }
  }

  /// The signal that is to reload it is the one that stops it.
  var stopsWhenReloaded: Bool { reload == .signal(stopSignal) }
}
