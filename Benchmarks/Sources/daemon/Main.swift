/// A small daemon that embeds the bridge, and says on standard output when its first listener is told of something.
///
///     daemon synchronous | async | dispatch | plain
///
/// "dispatch" is not ours: a Dispatch signal source alone. "plain" reloads and says nothing.
import CMeasure
import Dispatch
import Foundation
import Mediator
import MediatorBridge

final class Synchronous: SynchronousListener {
  func handle(_ transition: LifecycleTransition) throws {
    switch transition.event {
    case .willResignActive where transition.reason == .pause, .willEnterForeground where transition.reason == .pause:
      measure_stamp(STDOUT_FILENO)
    default: break
    }
  }
}

final class Reloading: ReloadListener {
  func prepareReload(_ transition: LifecycleTransition) async throws {}
  func reload(_ prepared: Void, _ transition: LifecycleTransition) async throws {}
  func revertReload(_ transition: LifecycleTransition) async throws {}
}

final class Waiting: LifecycleListener {
  func willResignActive(_ transition: LifecycleTransition) async throws { stamp(transition) }
  func willEnterForeground(_ transition: LifecycleTransition) async throws { stamp(transition) }
  private func stamp(_ transition: LifecycleTransition) {
    if transition.reason == .pause { measure_stamp(STDOUT_FILENO) }
  }
}

/// What a Dispatch signal source costs, with nothing behind it.
enum DispatchPeer {
  static func run() -> Never {
    signal(SIGUSR1, SIG_IGN)
    signal(SIGUSR2, SIG_IGN)
    let sources = [SIGUSR1, SIGUSR2].map { number in
      let source = DispatchSource.makeSignalSource(signal: number, queue: .global())
      source.setEventHandler { measure_stamp(STDOUT_FILENO) }
      source.activate()
      return source
    }
    withExtendedLifetime(sources) { dispatchMain() }
  }
}

@main struct Main {
  static func main() async throws {
    let kind = CommandLine.arguments.dropFirst().first ?? "plain"
    if kind == "dispatch" { DispatchPeer.run() }
    let bridge = try LifecycleBridge {
      switch kind {
      case "synchronous": Synchronous()
      case "async": Waiting()
      default: Reloading()
      }
    }
    exit(await bridge.run())
  }
}
