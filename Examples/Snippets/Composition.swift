/// Which listeners a daemon has, and what the failure of each means.
import Mediator

struct Database: LifecycleListener {
  func didFinishLaunching(_ transition: LifecycleTransition) async throws {}  // connect
}

struct Metrics: LifecycleListener {
  func didBecomeActive(_ transition: LifecycleTransition) async throws {}  // begin to push
}

struct Port: LifecycleListener {
  let number: Int
  var name: String { "port \(number)" }
  func didFinishLaunching(_ transition: LifecycleTransition) async throws {}  // bind
}

@ListenerBuilder
func listeners(ports: [Int], withMetrics: Bool) -> [ListenerEntry] {
  Database()  // required: its failure fails the start
  if withMetrics {
    Metrics().optional()  // its failure is reported and shown in STATUS, and the service goes on
  }
  for port in ports {
    Port(number: port)
  }
}
