/// What it costs that a listener is there, comes and goes: bytes, allocations, time.
import CMeasure
import Foundation
import Mediator

enum Membership {
  /// Bytes of the heap for each listener, beyond the listener itself.
  static func measureMemory(listeners count: Int) {
    let quick = (0..<count).map { _ in Quick() }
    let waiting = (0..<count).map { _ in Waiting() }
    let able = (0..<count).map { _ in Able() }
    let center = NotificationCenter()
    say(
      "memory",
      [
        "listeners": "\(count)",
        "synchronous": perListener(count) { mediator(quick) }.json,
        "async": perListener(count) { mediator(waiting) }.json,
        "able": perListener(count) { mediator(able) }.json,
        "closures": perListener(count) {
          waiting.map { listener -> @Sendable () -> Void in { _ = listener } }
        }.json,
        "observers": perListener(count) {
          (0..<count).map { _ in center.addObserver(forName: .init("bench"), object: nil, queue: nil) { _ in } }
        }.json,
      ])
  }

  private static func mediator(_ listeners: [any LifecycleListener]) -> LifecycleMediator {
    LifecycleMediator(center: NotificationCenter()) { for listener in listeners { listener } }
  }

  private static func perListener<Kept>(_ count: Int, _ make: () -> Kept) -> Double {
    withExtendedLifetime(make()) {}  // what comes into being once
    measure_allocations(true)
    let before = measure_live_bytes()
    let kept = make()
    let bytes = measure_live_bytes() - before
    measure_allocations(false)
    return withExtendedLifetime(kept) { Double(bytes) / Double(count) }
  }

  /// Adds and removes so many, one by one; per listener.
  static func measureChanges(listeners count: Int) async {
    let mediator = LifecycleMediator(center: NotificationCenter()) {}
    await addAndRemove(100, mediator) { _, _ in }
    await addAndRemove(count, mediator) { what, figures in
      say(what, ["listeners": "\(count)", "nanoseconds": figures.0.json, "allocations": figures.1.json])
    }
  }

  private static func addAndRemove(
    _ count: Int, _ mediator: LifecycleMediator, _ tell: (String, (Double, Double)) -> Void
  ) async {
    var tokens: [LifecycleMediator.Token] = []
    tokens.reserveCapacity(count)
    let quick = Quick()
    measure_allocations(true)
    let start = (measure_now(), measure_allocation_count())
    for _ in 0..<count {
      if let token = try? await mediator.add(ListenerEntry(quick)) { tokens.append(token) }
    }
    let added = (measure_now(), measure_allocation_count())
    for token in tokens { await mediator.remove(token) }
    let removed = (measure_now(), measure_allocation_count())
    measure_allocations(false)
    let each = { (from: (UInt64, UInt64), to: (UInt64, UInt64)) in
      (Double(to.0 - from.0) / Double(count), Double(to.1 - from.1) / Double(count))
    }
    tell("add", each(start, added))
    tell("remove", each(added, removed))
  }
}
