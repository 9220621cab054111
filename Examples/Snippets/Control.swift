/// A socket on which operators ask the program how it is, and steer it.
import Mediator
import MediatorBridge

func serveWithControl(_ bridge: LifecycleBridge) async throws(LifecycleError) -> Int32 {
  // Before the run, so that also the start can be seen. Those of the program's own group may read, but not steer.
  _ = try ControlServer(for: bridge, at: "/run/echo/control/socket", readers: .group)
  return await bridge.run()
}
