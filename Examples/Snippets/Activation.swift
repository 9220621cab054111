/// A socket that systemd has bound, by its name, or one of its own when the program is started by hand.
import Mediator
import MediatorBridge

actor Web: LifecycleListener {
  private let bind: @Sendable () throws -> Int32
  private(set) var socket: Int32?

  init(bind: @escaping @Sendable () throws -> Int32) { self.bind = bind }

  func didFinishLaunching(_ transition: LifecycleTransition) throws {
    let context = transition.context
    // A wrong name, or another kind of socket, is an error that says what there is.
    socket = context.start.sockets.isEmpty ? try bind() : try context.takeSocket("web", as: .streamListener)
  }
}
