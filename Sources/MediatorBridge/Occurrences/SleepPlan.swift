/// What to do about the machine's sleep and shutdown: a pure value over what logind says and how far the service is.
///
/// A delay lock (`Inhibit` of org.freedesktop.login1(5)) is held while the machine is awake. It is let go when
/// listeners have reached the background, or when logind's own patience is over, and taken again afterwards.
package struct SleepPlan: Hashable, Sendable {
  /// What logind announces. A shutdown is no stop of the service's own: it may be called off, and a service that ends
  /// by itself would be started again; the manager's own stop follows.
  package enum Announcement: Hashable, Sendable, CaseIterable { case sleep, shutdown }

  /// What is waited for.
  package enum Timer: Hashable, Sendable {
    /// How long logind waits for the lock.
    case patience
    /// How long it may take until somebody says whether it is over, when logind has gone meanwhile.
    case silence
  }

  package enum Input: Hashable, Sendable {
    /// logind is there; next it says what is so now.
    case connected
    /// It is gone, or the bus is.
    case disconnected
    case lockTaken
    /// It grants none; the announcements count all the same.
    case lockRefused
    /// It is about to happen, or it is over.
    case announced(Announcement, isComing: Bool)
    /// Listeners are in the background, or will not get there: what came of the pause of that number.
    case settled(UInt64)
    case overdue(Timer)
    /// Nobody wants to know any more.
    case closed
  }

  package enum Effect: Hashable, Sendable {
    case takeLock
    case dropLock
    case pause(UInt64)
    case resume
    case arm(Timer)
    case disarm(Timer)
    /// The lock went before listeners were in the background.
    case reportOverdue
  }

  private enum Lock: Hashable, Sendable { case none, asked, held }

  private var lock = Lock.none
  private var coming: Set<Announcement> = []
  /// Listeners are on their way to the background.
  private var isSettling = false
  /// logind has gone while something was coming.
  private var isSilent = false
  /// How many there were.
  private(set) var pauses: UInt64 = 0

  package init() {}

  package mutating func handle(_ input: Input) -> [Effect] {
    switch input {
    case .connected: return takeLock()
    case .disconnected: return disconnected()
    case .lockTaken: return lockTaken()
    case .lockRefused:
      lock = .none
      return []
    case .announced(let announcement, true): return begin(announcement)
    case .announced(let announcement, false): return end(announcement)
    case .settled(let number): return number == pauses ? settled() : []
    case .overdue(.patience): return (lock == .held && isSettling ? [.reportOverdue] : []) + settled()
    case .overdue(.silence): return isSilent ? over() : []
    case .closed:
      let isPaused = !coming.isEmpty
      return letGo() + (isPaused ? over() : [])
    }
  }

  private mutating func takeLock() -> [Effect] {
    guard lock == .none else { return [] }
    lock = .asked
    return [.takeLock]
  }

  /// One that comes while nobody needs it any more is given back at once.
  private mutating func lockTaken() -> [Effect] {
    lock = .held
    return coming.isEmpty || isSettling ? [] : dropLock()
  }

  private mutating func begin(_ announcement: Announcement) -> [Effect] {
    let wasSilent = endSilence()
    guard coming.insert(announcement).inserted, coming.count == 1 else { return wasSilent }
    isSettling = true
    pauses += 1
    return wasSilent + [.pause(pauses), .arm(.patience)]
  }

  private mutating func end(_ announcement: Announcement) -> [Effect] {
    guard coming.remove(announcement) != nil, coming.isEmpty else { return [] }
    return over() + takeLock()
  }

  private mutating func over() -> [Effect] {
    coming = []
    return endSettling() + endSilence() + [.resume]
  }

  private mutating func settled() -> [Effect] { isSettling ? endSettling() + dropLock() : [] }

  private mutating func endSettling() -> [Effect] {
    defer { isSettling = false }
    return isSettling ? [.disarm(.patience)] : []
  }

  private mutating func endSilence() -> [Effect] {
    defer { isSilent = false }
    return isSilent ? [.disarm(.silence)] : []
  }

  private mutating func dropLock() -> [Effect] {
    guard lock == .held else { return [] }
    lock = .none
    return [.dropLock]
  }

  private mutating func letGo() -> [Effect] {
    let effects = endSettling() + dropLock()
    lock = .none
    return effects
  }

  /// It may still come: in a shutdown the bus may end before the service does. Who is back says whether it is over.
  private mutating func disconnected() -> [Effect] {
    let effects = letGo()
    guard !coming.isEmpty, !isSilent else { return effects }
    isSilent = true
    return effects + [.arm(.silence)]
  }
}
