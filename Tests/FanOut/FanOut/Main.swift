/// What one post costs over the number of listeners, and what adding and removing them costs: allocations and time.
///
/// A line each: KIND LISTENERS ALLOCATIONS-PER-POST NANOSECONDS-PER-LISTENER, or the same per listener for "add" and
/// "remove". The floor is an array of closures; "observers" is NotificationCenter with one observer per listener.
import CAllocationCount
import Foundation
import Mediator

final class Quick: SynchronousListener {
  func handle(_ transition: LifecycleTransition) throws {}
}

final class Waiting: LifecycleListener {
  func didBecomeActive(_ transition: LifecycleTransition) async throws {}
}

actor Isolated: LifecycleListener {
  nonisolated let name = "isolated"
  func didBecomeActive(_ transition: LifecycleTransition) async throws {}
}

/// The last of the listeners: says that the post has reached everybody.
final class Last: SynchronousListener {
  let told = DispatchSemaphore(value: 0)
  func handle(_ transition: LifecycleTransition) throws { told.signal() }
}

let isQuick = CommandLine.arguments.contains("--quick")

struct Measure {
  var allocations: Double
  var nanoseconds: Double

  /// The median of some rounds.
  static func take(_ rounds: Int, _ body: () -> Void) -> Measure {
    body()
    var times: [Double] = []
    let before = allocation_count()
    for _ in 0..<rounds {
      let began = ContinuousClock.now
      body()
      let (seconds, attoseconds) = began.duration(to: .now).components
      times.append(Double(seconds) * 1e9 + Double(attoseconds) / 1e9)
    }
    let allocations = allocation_count() - before
    // The clock's own array is not counted against anybody: it grows a few times in all.
    return Measure(allocations: Double(allocations) / Double(rounds), nanoseconds: times.sorted()[rounds / 2])
  }
}

func say(_ kind: String, _ count: Int, _ measure: Measure) {
  let perListener = measure.nanoseconds / Double(count)
  print("\(kind) \(count) \(String(format: "%.1f %.1f", measure.allocations, perListener))")
}

func measurePosts(_ kind: String, _ count: Int, _ make: @escaping () -> any LifecycleListener) {
  let center = NotificationCenter()
  let last = Last()
  let mediator = LifecycleMediator(center: center) {
    for _ in 0..<count { make() }
    last
  }
  let measure = Measure.take(isQuick || count > 10_000 ? 11 : 51) {
    center.post(name: Lifecycle.didBecomeActiveNotification, object: nil)
    last.told.wait()
  }
  withExtendedLifetime(mediator) { say(kind, count, measure) }
}

func measureFloor(_ count: Int) {
  var closures: [@Sendable (Int) -> Void] = []
  let sum = UnsafeMutablePointer<Int>.allocate(capacity: 1)
  sum.initialize(to: 0)
  nonisolated(unsafe) let unsafeSum = sum
  for _ in 0..<count { closures.append { unsafeSum.pointee &+= $0 } }
  say("closures", count, Measure.take(51) { for closure in closures { closure(1) } })
  sum.deallocate()
}

func measureObservers(_ count: Int) {
  let center = NotificationCenter()
  let name = Notification.Name("FanOut")
  let tokens = (0..<count).map { _ in center.addObserver(forName: name, object: nil, queue: nil) { _ in } }
  say("observers", count, Measure.take(11) { center.post(name: name, object: nil) })
  for token in tokens { center.removeObserver(token) }
}

func measureMembership(_ count: Int) async {
  let mediator = LifecycleMediator(center: NotificationCenter()) {}
  var tokens: [LifecycleMediator.Token] = []
  tokens.reserveCapacity(count)
  let began = ContinuousClock.now
  let before = allocation_count()
  for _ in 0..<count {
    if let token = try? await mediator.add(ListenerEntry(Quick())) { tokens.append(token) }
  }
  let added = (ContinuousClock.now, allocation_count())
  for token in tokens { await mediator.remove(token) }
  let removed = (ContinuousClock.now, allocation_count())
  let time = { (from: ContinuousClock.Instant, to: ContinuousClock.Instant) in
    let components = from.duration(to: to).components
    return Double(components.seconds) * 1e9 + Double(components.attoseconds) / 1e9
  }
  say("add", count, Measure(allocations: Double(added.1 - before) / Double(count), nanoseconds: time(began, added.0)))
  say(
    "remove", count,
    Measure(allocations: Double(removed.1 - added.1) / Double(count), nanoseconds: time(added.0, removed.0)))
}

@main
struct FanOut {
  /// - Parameter arguments: "--quick" leaves out all but the synchronous listeners and the membership.
  static func main() async {
    for count in isQuick ? [1000, 100_000] : [100, 1000, 10_000, 100_000] {
      measureFloor(count)
      measurePosts("synchronous", count) { Quick() }
      await measureMembership(count)
      if isQuick { continue }
      measurePosts("async", count) { Waiting() }
      measurePosts("actors", count) { Isolated() }
      if count <= 10_000 { measureObservers(count) }
    }
  }
}
