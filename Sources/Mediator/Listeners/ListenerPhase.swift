/// How far one listener has come; decides which events it is told.
package enum ListenerPhase: UInt8, Hashable, Sendable, CaseIterable {
  case registered, announced, started, entering, active, resigned, background
  /// Its start threw or was cancelled: all it still gets is `willTerminate`.
  case failed
  case ended
  /// It did not return in its time and was left behind: it is never called again.
  case stuck

  /// Whether the listener is to be told; it then counts as told.
  package mutating func admit(_ event: LifecycleEvent) -> Bool {
    guard let next = next(for: event) else { return false }
    self = next
    return true
  }

  private func next(for event: LifecycleEvent) -> ListenerPhase? {
    switch (event, self) {
    case (.willFinishLaunching, .registered): .announced
    case (.restoreState, .announced): self
    case (.didFinishLaunching, .registered), (.didFinishLaunching, .announced): .started
    case (.willEnterForeground, .started), (.willEnterForeground, .background): .entering
    case (.didBecomeActive, .entering): .active
    case (.willResignActive, .active): .resigned
    case (.didEnterBackground, .entering), (.didEnterBackground, .active), (.didEnterBackground, .resigned):
      .background
    case (.willTerminate, .failed): .ended
    case (.willTerminate, _): isServing ? .ended : nil
    case (.willFinishLaunching, _), (.restoreState, _), (.didFinishLaunching, _), (.willEnterForeground, _),
      (.didBecomeActive, _), (.willResignActive, _), (.didEnterBackground, _):
      nil
    default: isServing ? self : nil
    }
  }

  /// Whether the listener has started, and not ended.
  var isServing: Bool {
    switch self {
    case .started, .entering, .active, .resigned, .background: true
    case .registered, .announced, .failed, .ended, .stuck: false
    }
  }
}
