/// A whole daemon as a class that overrides what it needs. In a program of its own it is marked `@main`.
import Mediator
import MediatorBridge

class Shop: PluggableLifecycle {
  @ListenerBuilder override var listeners: [ListenerEntry] {
    Database()
    Port(number: 8080)
  }
}

/// A variant of it, with more listeners.
final class FlagshipShop: Shop {
  @ListenerBuilder override var listeners: [ListenerEntry] {
    super.listeners
    Metrics().optional()
  }
}
