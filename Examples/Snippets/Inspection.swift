/// What a lifecycle can do, and how its listeners are: for a status page, or a warning about what nobody handles.
import Mediator

/// A source of events that no listener could use is not opened.
func missing(_ wanted: Set<LifecycleCapability>, in lifecycle: Lifecycle) -> [String] {
  wanted.subtracting(lifecycle.capabilities).map(\.rawValue).sorted()
}

/// One line for each listener, in order. Durations are measured once `mediator.measuresDurations` is true.
func statusPage(of mediator: LifecycleMediator) -> [String] {
  mediator.snapshot.map { listener in
    let path = (listener.groups + [listener.name]).joined(separator: "/")
    let policy = listener.isRequired ? "" : ", optional"
    let start = listener.lastDurations[.didFinishLaunching].map { ", started in \($0)" } ?? ""
    return "\(path): \(listener.state.rawValue)\(policy)\(start)"
  }
}
