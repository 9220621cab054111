internal import Glibc
internal import Mediator
internal import MediatorLinux

/// For a thread that may wait until the manager has what it is sent; nothing else that is to be said waits with it.
extension ManagerVoice {
  /// Sends at once, and again while the manager does not read, until that is over.
  func say(
    _ lines: [String], _ descriptors: [Int32] = [], until isOver: () -> Bool
  ) throws(LinuxError) {
    let text = lines.joined(separator: "\n")
    while true {
      let trouble = send(text, descriptors)
      guard let trouble else { return }
      guard Self.isFull(trouble), !isOver() else { throw trouble }
      usleep(20_000)
    }
  }

  /// Waits until the manager has taken all that was sent before (BARRIER=1 of sd_notify_barrier(3)).
  ///
  /// Fails with ETIMEDOUT when it has not by then.
  func barrier(until isOver: () -> Bool) throws(LinuxError) {
    let isTaken = try HangUpPipe.wait(until: isOver) { end throws(LinuxError) in
      try say(["BARRIER=1"], [end], until: isOver)
    }
    guard isTaken else { throw LinuxError("BARRIER=1", ETIMEDOUT) }
  }
}
