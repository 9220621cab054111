/// A whole daemon as one struct. In a program of its own it is marked `@main`.
import Mediator
import MediatorBridge

struct Bakery: LifecycleApplication {
  var timeouts: LifecycleTimeouts { LifecycleTimeouts(stop: .seconds(10)) }

  var listeners: [ListenerEntry] {
    Database()
    Metrics().optional()
    Port(number: 8080)
  }
}
