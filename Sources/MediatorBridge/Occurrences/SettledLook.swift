internal import Mediator
internal import MediatorLinux

/// Looks once, on the loop, when what is replaced in steps has had the time to settle.
final class SettledLook: Sendable {
  private static let settling = Duration.milliseconds(100)

  private let loop: EventLoop
  private let timer = Shared<EventSource?>(nil)

  init(on loop: EventLoop) { self.loop = loop }

  /// Does nothing when a look is to come already.
  func soon(after delay: Duration = settling, _ look: @escaping @Sendable () -> Void) {
    if timer.withLock({ $0 != nil }) { return }
    let source = loop.timer(after: delay) { [timer] in
      timer.withLock { $0 = nil }
      look()
    }
    timer.withLock { $0 = source }
  }

  func cancel() {
    let source = timer.withLock { timer in
      defer { timer = nil }
      return timer
    }
    source?.cancel()
  }
}
