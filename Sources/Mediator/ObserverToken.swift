// Foundation's observer tokens are not Sendable; this file vouches for them, which needs `unsafe`.
internal import Foundation

/// One observation of a notification center, removed exactly once, by its only owner.
///
/// Foundation on Linux removes a stranger's observer when a token is removed twice or from another center, so
/// nobody else ever sees the token.
final class ObserverToken: Sendable {
  private let center: NotificationCenter
  // `NSObjectProtocol` tokens are immutable and only handed back to the center that made them.
  private nonisolated(unsafe) let token: any NSObjectProtocol

  init(
    center: NotificationCenter, name: Notification.Name, object: AnyObject?,
    using block: @escaping @Sendable (Notification) -> Void
  ) {
    self.center = center
    unsafe token = center.addObserver(forName: name, object: object, queue: nil, using: block)
  }

  deinit { unsafe center.removeObserver(token) }
}
