/// A bridge that owns the signals, with somebody else's service among its listeners.
import Mediator
import MediatorBridge

func serve(
  _ run: @escaping @Sendable () async throws -> Void, shutDown: @escaping @Sendable () async -> Void
) async throws -> Int32 {
  let bridge = try LifecycleBridge { Database() }
  let lifecycle = bridge.lifecycle
  let service = ForeignService("http", run: run, shutDown: shutDown) { lifecycle.requestStop() }
  try await bridge.mediator.add(ListenerEntry(service))  // before the run, so it starts behind the database
  return await bridge.run()
}
