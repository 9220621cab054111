internal import MediatorLinux

/// What happens to a program.
enum ProgramInput: Sendable, Equatable {
  case start
  case spawned
  case notSpawned(String)
  /// STATUS=, already fit to be shown.
  case said(String)
  case declared(NotifyMessage.Change)
  /// What `Ready=` asks for holds.
  case checkHolds
  case checkFails(String)
  /// What `Ready=` asks for can come no more.
  case neverHolds(String)
  /// What came of one health check; nil when it is well.
  case healthAnswer(String?)
  /// EXTEND_TIMEOUT_USEC=, already limited.
  case asksForTime(TimeSpan)
  case reload
  case reloadRequested
  case reloadRefused(String)
  /// End it, and start it anew.
  case renew
  case stop
  case stopCommandsEnded
  case overdue(ProgramTimer)
  /// The main process has ended; whether others of its tree live on.
  case exited(ExitStatus, survivors: Bool)
  /// The main process has ended in the stop of all, before it was told to by us.
  case endedInStop(ExitStatus)
}

/// What is to be done with a program, in this order.
enum ProgramEffect: Sendable, Equatable {
  case spawn
  /// Begin to find out whether what `Ready=` asks for holds; its answers are inputs.
  case beginReadiness
  case endReadiness
  case beginHealth
  case endHealth
  /// Send the reload signal, or run the commands, and say what came of it.
  case askForReload
  /// To whoever asked for the reload; nil for one that went well.
  case reloadEnded(String?)
  /// It reloads by itself: it begins, it has ended, or both at once.
  case ownReload(NotifyMessage.Change)
  /// It says that it is about to end.
  case stopsItself
  case runStopCommands
  case signal(Int32)
  /// Whatever is left of it.
  case kill
  case arm(ProgramTimer, TimeSpan)
  /// Let it run for so long from now, if that is longer.
  case extend(ProgramTimer, TimeSpan)
  case disarm(ProgramTimer)
  /// It is started again after this pause.
  case restarts(ProgramEnd, TimeSpan)
  case over(ProgramEnd)
  /// Where it stands has changed.
  case changed
}

/// What has a time of its own.
enum ProgramTimer: Sendable, Hashable, CaseIterable {
  /// Until it is ready.
  case ready
  /// Until the row of its starts has ended.
  case stable
  /// Until it says that it reloads.
  case reload
  /// Until it is ended by force.
  case kill
  /// Until it is started again.
  case pause
}
