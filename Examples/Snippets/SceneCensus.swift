/// One listener for the scenes of the whole process; the serial number of the transition tells events apart.
import Mediator

actor SceneCensus: SceneListener {
  private(set) var connected: [String] = []
  private(set) var serials: [UInt64] = []

  func scene(_ scene: LifecycleScene, _ event: LifecycleScene.Event, _ transition: LifecycleTransition) {
    serials.append(transition.serial)
    switch event {
    case .willConnect: connected.append("\(scene.kind) \(scene.id)")
    case .didDisconnect: connected.removeAll { $0 == "\(scene.kind) \(scene.id)" }
    default: break
    }
  }
}
