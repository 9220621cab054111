/// Parts of the service with lives of their own; each gets a listener that is made for it, chosen by its kind.
import Mediator

actor TenantRoom: SceneListener {
  private let tenant: String
  private let log: Ledger

  init(_ tenant: String, log: Ledger) {
    self.tenant = tenant
    self.log = log
  }

  func scene(_ scene: LifecycleScene, _ event: LifecycleScene.Event, _ transition: LifecycleTransition) throws {
    switch event {
    case .willConnect where tenant.isEmpty: throw LifecycleError(.scene, message: "a tenant needs a name")  // refused
    case .willConnect: log.write("\(tenant): open the store")
    case .didBecomeActive: log.write("\(tenant): serve")
    case .didEnterBackground: log.write("\(tenant): pause")
    case .didDisconnect: log.write("\(tenant): close the store")
    case .didDiscard: log.write("\(tenant): delete the store")
    default: break
    }
  }
}

@ListenerBuilder
func listenersForTenants(log: Ledger) -> [ListenerEntry] {
  ListenerEntry.scenes("tenant") { scene in TenantRoom(scene.id, log: log) }
}

/// Returns when the tenant is served; `scene.disconnect()` lets it go, `scene.discard()` for good.
func welcome(_ tenant: String, _ lifecycle: Lifecycle) async throws(LifecycleError) -> LifecycleScene {
  try await lifecycle.connect(scene: tenant, kind: "tenant")
}
