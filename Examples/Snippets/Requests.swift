/// Listeners that answer requests: they are asked in order until one takes, or refuses, what is asked for.
import Foundation
import Mediator

struct Invoices: RequestListener {
  func answer(_ request: LifecycleRequest) throws -> RequestAnswer {
    guard let url = request.url, url.scheme == "invoice" else { return .declined }  // not mine: ask the next one
    guard let number = url.host().flatMap({ Int($0) }) else { return .refused("\(url) names no invoice") }
    return .taken(Data("invoice \(number)".utf8))
  }
}

/// Somebody started the program once more, and the one that runs answers.
struct FrontDoor: RequestListener {
  func answer(_ request: LifecycleRequest) -> RequestAnswer {
    request.verb == LifecycleRequest.reopen.verb ? .taken(Data("already running".utf8)) : .declined
  }
}

/// What a request that came during the start gets, too: it is kept, and offered after `didBecomeActive`.
func open(_ url: URL, _ lifecycle: Lifecycle) async -> String {
  switch await lifecycle.send(LifecycleRequest(opening: url)) {
  case .handled(let listener, let result): "\(listener): \(String(decoding: result, as: UTF8.self))"
  case .refused(let listener, let reason): "\(listener) refuses: \(reason)"
  case .unclaimed: "nobody opens \(url)"
  }
}
