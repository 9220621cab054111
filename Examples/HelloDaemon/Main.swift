/// A whole daemon: SIGHUP reads greeting.txt again, SIGTERM stops it in order, systemd is told the truth.
import Foundation
import Mediator
import MediatorBridge

actor Greeter: ReloadListener {
  private var greetings = ["Hello"]

  func didFinishLaunching(_ transition: LifecycleTransition) { print("open, bind, warm up") }
  func didBecomeActive(_ transition: LifecycleTransition) { print("\(greetings.last ?? ""): we take work") }
  func prepareReload(_ transition: LifecycleTransition) throws -> String {
    try String(contentsOfFile: "greeting.txt", encoding: .utf8)  // a throw refuses the reload; nothing has changed yet
  }
  func reload(_ prepared: String, _ transition: LifecycleTransition) { greetings.append(prepared) }
  func revertReload(_ transition: LifecycleTransition) { greetings.removeLast() }
  func willTerminate(_ transition: LifecycleTransition) { print("Goodbye") }
}

@main struct Main {
  static func main() async throws {
    let bridge = try LifecycleBridge { Greeter() }  // from here on no signal ends the process by surprise
    exit(await bridge.run())
  }
}
