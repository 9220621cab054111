/// A mediator as a value that you hold: a part of the program with listeners of its own, for the same lifecycle.
import Foundation
import Mediator

struct Storefront: Sendable {
  private let mediator: LifecycleMediator

  /// Listeners of a part that comes late are brought to where the lifecycle is; they go with the storefront.
  init(of lifecycle: Lifecycle, center: NotificationCenter = .default, log: Ledger) {
    mediator = LifecycleMediator(center: center, object: lifecycle) {
      log
      Banner(log: log)
    }
  }
}
