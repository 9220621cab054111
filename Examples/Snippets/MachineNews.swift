/// What the machine has to say: memory is scarce, the clock was set.
import Foundation
import Mediator

actor Thumbnails: MemoryPressureListener, TimeChangeListener {
  private(set) var images: [String: Data] = [:]
  private(set) var midnight: Date

  private let nextMidnight: @Sendable () -> Date

  init(nextMidnight: @escaping @Sendable () -> Date) {
    self.nextMidnight = nextMidnight
    midnight = nextMidnight()
  }

  func keep(_ image: Data, of name: String) { images[name] = image }

  func didReceiveMemoryWarning(_ pressure: MemoryPressure, _ transition: LifecycleTransition) {
    switch pressure.level {
    case .some: images = images.filter { $0.value.count < 4096 }
    case .full: images = [:]
    }
  }

  /// Wall clock times were computed with a clock that is gone.
  func significantTimeChange(_ transition: LifecycleTransition) { midnight = nextMidnight() }
}
