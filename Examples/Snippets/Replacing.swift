/// A listener that takes another one's place while the service runs.
import Mediator

/// The old one gets its own stop, then the new one its start, where the old one stood in the order.
func move(
  _ token: LifecycleMediator.Token, to port: Int, in mediator: LifecycleMediator
) async throws(LifecycleError) -> LifecycleMediator.Token {
  try await mediator.replace(token, with: ListenerEntry(Port(number: port)))
}

/// A newcomer need not stand at the end: this one is told before the port on the way up, and after it on the way down.
func addMetrics(
  before port: LifecycleMediator.Token, to mediator: LifecycleMediator
) async throws(LifecycleError) -> LifecycleMediator.Token {
  try await mediator.add(Metrics().optional(), before: port)
}
