/// A listener that reads a table, reads it again at a reload, and answers requests from it.
import Foundation
import Mediator

actor Prices: ReloadListener, RequestListener {
  typealias Table = [String: Int]

  private let read: @Sendable () async throws -> Table
  private var current: Table = [:]
  private var replaced: Table = [:]

  init(read: @escaping @Sendable () async throws -> Table) { self.read = read }

  func didFinishLaunching(_ transition: LifecycleTransition) async throws { current = try await read() }

  func prepareReload(_ transition: LifecycleTransition) async throws -> Table { try await read() }
  func reload(_ prepared: Table, _ transition: LifecycleTransition) { (replaced, current) = (current, prepared) }
  func revertReload(_ transition: LifecycleTransition) { current = replaced }

  func answer(_ request: LifecycleRequest) -> RequestAnswer {
    guard request.verb == "price" else { return .declined }
    let thing = String(decoding: request.payload, as: UTF8.self)
    guard let price = current[thing] else { return .refused("no price for '\(thing)'") }
    return .taken(Data("\(price)".utf8))
  }
}
