/// A program that handles its signals itself, and tells the lifecycle what they mean.
import Dispatch
import Foundation
import Mediator

/// The sources work as long as somebody keeps them.
func signalSources(for lifecycle: Lifecycle) -> [any DispatchSourceSignal] {
  let meanings: [(signal: Int32, act: @Sendable () -> Void)] = [
    (SIGHUP, { lifecycle.requestReload() }),
    (SIGTERM, { lifecycle.requestStop() }),
  ]
  return meanings.map { signal, act in
    let source = DispatchSource.makeSignalSource(signal: signal, queue: .global())
    source.setEventHandler(handler: act)
    source.resume()
    return source
  }
}
