/// Something that tells N listeners of one post: ours of each kind, and what it is compared with.
import Foundation
import Mediator

struct Subject {
  let kind: String
  let post: () -> Void

  static let kinds = ["closures", "synchronous", "async", "actors", "observers"]

  /// - Parameter kind: one of `kinds`; "closures" is the floor, "observers" NotificationCenter with an observer each.
  init?(_ kind: String, listeners count: Int) {
    self.kind = kind
    switch kind {
    case "closures": post = Self.closures(count)
    case "synchronous": post = Self.mediator(count) { Quick() }
    case "async": post = Self.mediator(count) { Waiting() }
    case "actors": post = Self.mediator(count) { Isolated() }
    case "observers": post = Self.observers(count)
    default: return nil
    }
  }

  private static func mediator(_ count: Int, _ make: () -> any LifecycleListener) -> () -> Void {
    let center = NotificationCenter()
    let last = Last()
    let mediator = LifecycleMediator(center: center) {
      for _ in 0..<count { make() }
      last
    }
    return {
      center.post(name: Lifecycle.didBecomeActiveNotification, object: nil)
      last.told.wait()
      withExtendedLifetime(mediator) {}
    }
  }

  /// Each closure has a context of its own, as a listener is an object of its own.
  private static func closures(_ count: Int) -> () -> Void {
    final class Counter { var sum = 0 }
    let counters = (0..<count).map { _ in Counter() }
    let closures: [(Int) -> Void] = counters.map { counter in { counter.sum &+= $0 } }
    return { for closure in closures { closure(1) } }
  }

  private static func observers(_ count: Int) -> () -> Void {
    let center = NotificationCenter()
    let name = Notification.Name("bench")
    let tokens = (0..<count).map { _ in center.addObserver(forName: name, object: nil, queue: nil) { _ in } }
    return {
      center.post(name: name, object: nil)
      withExtendedLifetime(tokens) {}
    }
  }
}
