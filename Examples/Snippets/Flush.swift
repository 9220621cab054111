/// A plain observer of NotificationCenter that makes the lifecycle wait until it has finished.
import Foundation
import Mediator

/// The token is for `removeObserver`, once.
func flushWhenInBackground(
  of lifecycle: Lifecycle, _ flush: @escaping @Sendable () async throws -> Void
) -> any NSObjectProtocol {
  NotificationCenter.default.addObserver(
    forName: Lifecycle.didEnterBackgroundNotification, object: lifecycle, queue: nil
  ) { notification in
    // Take it here, before the block returns: afterwards there is none to be had.
    guard let deferral = notification.lifecycleTransition?.takeDeferral("flush") else { return }
    Task {
      do {
        try await flush()
        deferral.complete()
      } catch {
        deferral.fail(error)  // counts as the failure of an optional listener
      }
    }
  }
}
