/// What a listener may be: a struct, a class, a class of the main actor, an actor; each is called in its own isolation.
import Mediator
import Synchronization

struct Banner: LifecycleListener {
  let log: Ledger
  func didFinishLaunching(_ transition: LifecycleTransition) { log.write("banner") }
}

/// A class is Sendable by what it holds.
final class Ledger: LifecycleListener {
  private let written = Mutex<[String]>([])
  var lines: [String] { written.withLock { $0 } }
  func write(_ line: String) { written.withLock { $0.append(line) } }
  func willTerminate(_ transition: LifecycleTransition) { write("end") }
}

@MainActor final class Dashboard: LifecycleListener {
  private(set) var isLit = false
  func didBecomeActive(_ transition: LifecycleTransition) { isLit = true }
  func willResignActive(_ transition: LifecycleTransition) { isLit = false }
}

actor Meter: LifecycleListener {
  private(set) var told = 0
  func didBecomeActive(_ transition: LifecycleTransition) { told += 1 }
}
