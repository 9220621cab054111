internal import Mediator

/// The part of a reload that stops what is gone and starts what is new, wholly or not at all.
struct UnitTurn {
  /// In the order of their starts.
  var gone: [UnitListener]
  var newcomers: [UnitListener]
  var host: ProgramHost
  var log: EventLog

  /// Throws when a required program does not start, or the reload was given up: then everything is as it was.
  ///
  /// - Returns: the titles of those that were started.
  func take(_ transition: LifecycleTransition) async throws -> [String] {
    for listener in gone.reversed() { await leave(listener) }
    var arrived: [UnitListener] = []
    var titles: [String] = []
    for listener in newcomers {
      arrived.append(listener)
      do {
        try await listener.arrive(transition)
        titles.append(listener.title)
      } catch {
        // Of others the mediator tells, and the service goes on without them.
        guard listener.refusesReload || Task.isCancelled else { continue }
        await undo(arrived)
        throw error
      }
    }
    if Task.isCancelled {
      await undo(arrived)
      throw CancellationError()
    }
    return titles
  }

  /// Also when the reload was cancelled for its time; in a stop nothing is started any more.
  private func undo(_ arrived: [UnitListener]) async {
    await Task(executorPreference: FirstThread.executor) {
      for listener in arrived.reversed() { await leave(listener) }
      for case .program(let program) in arrived where !gone.contains(where: { $0.title == program.name }) {
        host.forget(program.name)
      }
      for listener in gone where !host.isStopping {
        do {
          try await listener.comeBack()
        } catch {
          log.log(.error, "\(listener.title) does not come back: \(ListenerFailure.words(of: error))")
        }
      }
    }.value
  }

  private func leave(_ listener: UnitListener) async {
    do {
      try await listener.leave()
    } catch {
      log.log(.error, "\(listener.title) failed in stop: \(ListenerFailure.words(of: error))")
    }
  }
}
