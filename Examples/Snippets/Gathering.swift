/// A question that is put to all at once, with a deadline, and answered also by code that has only callbacks.
import Mediator

/// Somebody else's client, which answers later, and perhaps twice.
protocol StockClient: Sendable {
  func count(_ done: @escaping @Sendable (Int) -> Void)
}

enum Stock {
  /// Who does not answer within two seconds, or fails, counts as nothing; without anybody to ask it is 0 at once.
  static let total = LifecycleQuery<Int, Int>(
    "shop.stock", .gather(within: .seconds(2), onTimeout: 0) { counts in counts.reduce(0, +) })

  @ListenerBuilder
  static func answers(shelves: Int, _ clients: [any StockClient]) -> [ListenerEntry] {
    total.answered(by: "shelves") { shelves }
    for client in clients {
      // The first answer counts, and later ones do nothing.
      total.replied(by: "client") { reply in client.count { count in reply.send(count) } }
    }
  }
}
