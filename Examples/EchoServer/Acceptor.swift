/// Takes connections while the service is in the foreground, and lets them finish before it ends.
import Foundation
import Mediator
import MediatorBridge

/// An actor, as any listener may be: events come one after the other, and its state needs no lock.
actor Acceptor: LifecycleListener {
  private let port: UInt16
  private let greeting: Greeting
  private let tally: Tally
  private var loop: EchoLoop?

  /// - Parameter port: 0 lets the system choose a free one.
  init(port: UInt16, greeting: Greeting, tally: Tally = Tally()) {
    self.port = port
    self.greeting = greeting
    self.tally = tally
  }

  /// nil before the start.
  var boundPort: UInt16? { loop?.port }

  /// A port that is taken has to fail the start, so it is bound here and not when the first connection is wanted.
  func didFinishLaunching(_ transition: LifecycleTransition) throws {
    let loop = try EchoLoop(listener: listener(transition.context), greeting: greeting, tally: tally)
    self.loop = loop
    try? FileHandle.standardOutput.write(contentsOf: Data("listening on 127.0.0.1:\(loop.port)\n".utf8))
  }

  /// A service manager that passes sockets has bound them, or keeps what this server has bound in an earlier run; who
  /// connects meanwhile waits in the kernel's queue.
  private func listener(_ context: LifecycleContext) throws -> Int32 {
    // With another port it is another socket, and the old one is let go.
    let kept = "port-\(port)"
    if !context.start.sockets.isEmpty { return try context.takeSocket("echo", as: .streamListener) }
    if context.start.keptSockets[kept] != nil { return try context.takeSocket(kept, as: .streamListener) }
    let listener = try EchoLoop.listen(on: port)
    try context.keepSocket(listener, as: kept)
    return listener
  }

  func didBecomeActive(_ transition: LifecycleTransition) async {
    await loop?.obey(.accept)
  }

  /// A reload goes through the background too, but a server keeps serving in it. A pause leaves the socket open: who
  /// connects waits in the kernel's queue and is served after the resume. Before a stop nobody new is let in, so that
  /// clients and load balancers go elsewhere at once.
  func didEnterBackground(_ transition: LifecycleTransition) async {
    if transition.reason.keepsServing { return }
    await loop?.obey(transition.reason == .stop ? .close : .hold)
  }

  /// Not every stop passes through `didEnterBackground`: a paused service is in the background already, and a stop in
  /// the middle of a reload comes straight here. So the socket is closed here as well.
  func willTerminate(_ transition: LifecycleTransition) async {
    guard let loop else { return }
    await loop.obey(.close)
    await withTaskCancellationHandler {
      await loop.obey(.drain(until: .now + .seconds(3)))
    } onCancel: {
      loop.hasten()
    }
  }
}
