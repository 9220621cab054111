/// A service that starts when what it needs is there, and says in STATUS what it waits for.
import Mediator
import MediatorBridge

@ListenerBuilder
func listenersThatWait(migrated: @escaping @Sendable () async throws -> Bool) -> [ListenerEntry] {
  WaitFor.tcp("db.internal", 5432, within: .seconds(30))
  WaitFor.file("/run/vault/agent.sock", within: .seconds(10)).optional()  // degraded without it
  WaitFor("migrations", within: .seconds(60), until: migrated)
  Database()  // started when all that is above holds
}
