internal import Mediator
internal import MediatorBridge
internal import MediatorLinux

/// lifecycled's name on the system bus, under which its log can be asked and told; without a bus it does nothing.
final class LogControlName: Sendable {
  /// `BusName=` of the shipped unit, which its policy lets root take.
  static let name = "io.lifecycled"

  private let log: EventLog
  private let link = Locked<BusLink?>(nil)

  init(_ log: EventLog) { self.log = log }

  /// Begins to take the name, on that loop; once.
  ///
  /// - Parameter address: of another bus.
  func take(on loop: EventLoop, address: String? = nil) {
    let control = LogControl(log)
    let link = BusLink(
      on: loop, address: address,
      setUp: { [log] bus throws(LinuxError) in
        try bus.serve(LogControl.path, control.answer)
        try bus.take(name: Self.name) { answer in Self.tell(answer, log) }
      },
      failed: { [log] error in log.log(.debug, "no system bus: \(error)") })
    self.link.withLock { $0 = link }
    link.open()
  }

  private static func tell(_ answer: BusMessage, _ log: EventLog) {
    if let error = answer.error {
      log.log(.debug, "the name \(name) is not ours on the system bus: \(error)")
    } else if answer.values.first?.number != 1 {
      log.log(.debug, "the name \(name) is somebody else's on the system bus")
    } else {
      log.log(.debug, "the log can be told as \(name) on the system bus")
    }
  }
}
