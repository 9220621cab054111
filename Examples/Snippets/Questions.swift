/// Questions of your own to all listeners, each with the way in which the answers become one.
import Mediator

enum Question {
  /// Every one is asked, also after a no.
  static let isQuiet = LifecycleQuery<Bool, Bool>("shop.is-quiet", .all)
  /// The last one that has an answer.
  static let notice = LifecycleQuery<String?, String?>("shop.notice", .lastNonDefault())
  /// The last answer that is not the default.
  static let logLevel = LifecycleQuery<String, String>("shop.log-level", .lastNonDefault("info"))
  /// All of them together.
  static let openOrders = LifecycleQuery<Int, Int>("shop.open-orders", .fold(0) { $0 + $1 })
}

@ListenerBuilder
func answers(shops: [String: Int]) -> [ListenerEntry] {
  for (name, orders) in shops.sorted(by: { $0.key < $1.key }) {
    Question.isQuiet.answered(by: name) { orders == 0 }
    Question.openOrders.answered(by: name) { orders }
    Question.notice.answered(by: name) { orders > 100 ? "\(name) is busy" : nil }
    Question.logLevel.answered(by: name) { orders > 100 ? "debug" : "info" }
  }
}

func summary(_ lifecycle: Lifecycle) async -> String {
  let orders = await lifecycle.ask(Question.openOrders)
  let isQuiet = await lifecycle.ask(Question.isQuiet)
  let notice = await lifecycle.ask(Question.notice) ?? "nothing new"
  return "\(orders) orders, \(isQuiet ? "quiet" : "at work"), \(notice), \(await lifecycle.ask(Question.logLevel))"
}
