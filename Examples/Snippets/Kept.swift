/// A listening socket that is kept over a restart, so that nobody who connects meanwhile is refused.
import Mediator
import MediatorBridge

actor Gateway: LifecycleListener {
  private let port: UInt16
  private let listen: @Sendable (UInt16) throws -> Int32
  private(set) var socket: Int32?

  init(port: UInt16, listen: @escaping @Sendable (UInt16) throws -> Int32) {
    self.port = port
    self.listen = listen
  }

  func didFinishLaunching(_ transition: LifecycleTransition) throws {
    let context = transition.context
    let name = "port-\(port)"  // with another port it is another socket, and the old one is let go
    if context.start.keptSockets[name] != nil {
      socket = try context.takeSocket(name, as: .streamListener)  // who has connected meanwhile waits in its queue
    } else {
      let fresh = try listen(port)
      try context.keepSocket(fresh, as: name)  // FileDescriptorStoreMax= in the unit
      socket = fresh
    }
  }
}
