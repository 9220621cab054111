/// Commands that run once when the service starts, in order, and are undone in reverse.
import Mediator

struct Cache: Sendable {
  func open() async throws {}
  func close() async {}
  func fill() async throws {}
}

func warmUp(_ cache: Cache) -> StartupPlan {
  StartupPlan("warm up")
    .step("open", timeout: .seconds(5), undo: { await cache.close() }) { _ in try await cache.open() }
    // The service goes on without this one, and the report of its failure names it: "warm up.fill".
    .step("fill", timeout: .seconds(30), required: false) { _ in try await cache.fill() }
}
