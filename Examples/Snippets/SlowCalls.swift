/// Where the time has gone: the calls of the trace, the longest first.
import Mediator

/// The trace is there if `lifecycle.trace = LifecycleTrace()` was said, best before the run.
func slowestCalls(of lifecycle: Lifecycle, most count: Int = 5) -> [String] {
  let calls = (lifecycle.trace?.entries ?? []).compactMap { entry -> (name: String, took: Duration)? in
    guard case .listener(let name, let event, let reason) = entry.kind, let took = entry.duration else { return nil }
    return ("\(name) in \(event.rawValue) (\(reason.rawValue))", took)
  }
  return calls.sorted { $0.took > $1.took }.prefix(count).map { "\($0.took) \($0.name)" }
}
