internal import Mediator
internal import MediatorBridge
internal import MediatorLinux

/// SIGRTMIN+18 with a value, to which systemd's own services listen: the log's level and target, and memory.
///
/// `systemctl kill --kill-value=0x107 -s RTMIN+18 lifecycled` has it log everything (`systemd(1)`).
struct ControlSignal: Sendable {
  enum Command: Equatable, Sendable {
    case level(LogLevel)
    case target(LogTarget)
    /// Gives back what is free.
    case trim

    init?(value: Int) {
      switch value {
      case 0x100...0x107:
        guard let level = LogLevel.allCases.first(where: { $0.priority == value - 0x100 }) else { return nil }
        self = .level(level)
      case 0x200: self = .target(.console)
      case 0x201: self = .target(.journal)
      case 0x203: self = .target(.null)
      case 0x300: self = .trim
      default: return nil
      }
    }
  }

  static let number = SignalNumber.realtime(18)

  let log: EventLog

  func received(_ origin: LifecycleOrigin) {
    guard case .signal(Self.number, _, _, let value) = origin else { return }
    switch value.flatMap({ Command(value: $0) }) {
    case .level(let level): log.limit(to: level)
    case .target(let target): log.lead(to: target)
    case .trim: trim()
    case nil:
      let words = value.map { "the value \($0)" } ?? "no value"
      log.log(.notice, "SIGRTMIN+18 with \(words) means nothing")
    }
  }

  /// That may take its time, and nobody waits for it.
  private func trim() {
    Task.detached(executorPreference: FirstThread.executor) { [log] in
      let isDone = await MemoryTrim.trim()
      log.log(.info, isDone ? "memory that is free was given back" : "memory that is free stays: no thread")
    }
  }
}
