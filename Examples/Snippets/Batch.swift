/// Several requests at once, each completed once, as the background tasks of a watch are.
import Foundation
import Mediator

/// The feeds that could not be refreshed; the results have the order of the requests.
func refresh(_ feeds: [String], _ lifecycle: Lifecycle) async -> [String] {
  let results = await lifecycle.send(feeds.map { LifecycleRequest("refresh", payload: Data($0.utf8)) })
  return zip(feeds, results).compactMap { feed, result in
    if case .handled = result { nil } else { feed }
  }
}
