internal import Mediator
internal import MediatorLinux

/// Watches how scarce memory is, warns listeners, and gives free memory back to the system when they have finished.
final class MemoryPressureSource: OccurrenceSource {
  private struct State {
    var remaining: [PressurePlan.Source] = []
    var watches: [PressureWatch] = []
    var limit = PressureLimit()
    /// Grows with each opening and closing: what an older watch tells does not count.
    var number: UInt64 = 0
  }

  private let environment: ManagerEnvironment
  private let lifecycle: Lifecycle
  private let loop: EventLoop
  private let state = Locked(State())

  init(_ environment: ManagerEnvironment, lifecycle: Lifecycle, loop: EventLoop) {
    self.environment = environment
    self.lifecycle = lifecycle
    self.loop = loop
  }

  func open() {
    let plan = PressurePlan(
      watch: environment.memoryPressureWatch, write: environment.memoryPressureWrite, cgroup: ControlGroup.own()?.path)
    if let problem = plan.problem { report(problem) }
    state.withLock { $0.remaining = plan.sources }
    openNext()
  }

  func close() {
    state.withLock { $0.remaining = [] }
    endWatches()
  }

  private func endWatches() {
    let watches = state.withLock { state in
      state.number += 1
      defer { state.watches = [] }
      return state.watches
    }
    for watch in watches { watch.cancel() }
  }

  /// The first of those that remain and can be watched.
  private func openNext() {
    while let source = state.withLock({ $0.remaining.isEmpty ? nil : $0.remaining.removeFirst() }) {
      let number = state.withLock { state in
        state.number += 1
        return state.number
      }
      do throws(LinuxError) {
        let first = try PressureWatch(source.path, writing: source.trigger.bytes, on: loop)
        // Of two that come at once the worse is told first, and then the other is nothing new.
        if first.isTrigger { watchCritical(source, number) }
        try start(first, source, source.trigger.level, number)
        return
      } catch {
        endWatches()
        report("\(source.path): \(error)")
      }
    }
  }

  private func watchCritical(_ source: PressurePlan.Source, _ number: UInt64) {
    guard let trigger = source.critical else { return }
    do throws(LinuxError) {
      try start(PressureWatch(source.path, writing: trigger.bytes, on: loop), source, trigger.level, number)
    } catch {
      report("\(source.path), \(trigger.level.rawValue): \(error)")
    }
  }

  private func start(
    _ watch: PressureWatch, _ source: PressurePlan.Source, _ level: MemoryPressure.Level, _ number: UInt64
  ) throws(LinuxError) {
    try watch.start { [weak self] told in
      guard let self, state.withLock({ $0.number == number }) else { return }
      switch told {
      case .pressure: warn(level, source)
      case .gone:
        endWatches()
        report("\(source.path): it is gone")
        openNext()
      }
    }
    state.withLock { $0.watches.append(watch) }
  }

  private func warn(_ level: MemoryPressure.Level, _ source: PressurePlan.Source) {
    guard state.withLock({ $0.limit.admits(level, at: .now) }) else { return }
    let detail = TransitionDetail.memoryPressure(Self.pressure(level, source))
    lifecycle.submit(.didReceiveMemoryWarning, .system, detail) { [weak self] transition in
      guard let self else { return }
      state.withLock { $0.limit.ended() }
      if transition != nil { Task.detached(executorPreference: lifecycle.beside) { await MemoryTrim.trim() } }
    }
  }

  private static func pressure(_ level: MemoryPressure.Level, _ source: PressurePlan.Source) -> MemoryPressure {
    var pressure = MemoryPressure(level: level)
    for path in source.numbers {
      guard let text = text(path) else { continue }
      pressure.take(text)
      pressure.cgroup = PressurePlan.cgroup(of: path)
      break
    }
    if !pressure.cgroup.isEmpty {
      pressure.usedBytes = text("\(pressure.cgroup)/memory.current").flatMap { UInt64($0.dropLast()) }
    }
    return pressure
  }

  private static func text(_ path: String) -> String? {
    (try? SmallFile.read(path, limit: 4096)).map { String(decoding: $0, as: UTF8.self) }
  }

  private func report(_ message: String) { lifecycle.hub.send(.sourceUnusable(.memoryPressure, message: message)) }
}
