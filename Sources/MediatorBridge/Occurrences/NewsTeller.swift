internal import Mediator
internal import MediatorLinux

/// Has listeners told of each thing once at a time; what comes meanwhile is told once more afterwards.
final class NewsTeller<Thing: Hashable & Sendable>: Sendable {
  private struct Submission: Sendable {
    var submit: @Sendable (_ thing: Thing, _ ended: @escaping @Sendable () -> Void) -> Void
  }

  private let loop: EventLoop
  private let submission: Submission
  private let telling = Locked(OneAtATime<Thing>())

  /// - Parameter submit: has everybody told, and calls back when they have been.
  init(
    on loop: EventLoop, _ submit: @escaping @Sendable (_ thing: Thing, _ ended: @escaping @Sendable () -> Void) -> Void
  ) {
    self.loop = loop
    submission = Submission(submit: submit)
  }

  func tell(_ thing: Thing) { if telling.withLock({ $0.came(thing) }) { submit(thing) } }

  private func submit(_ thing: Thing) {
    submission.submit(thing) { [weak self] in
      guard let self else { return }
      if telling.withLock({ $0.ended(thing) }) { loop.submit { self.submit(thing) } }
    }
  }
}
