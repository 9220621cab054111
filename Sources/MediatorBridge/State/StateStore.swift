internal import Glibc
internal import Mediator
internal import MediatorLinux

/// State in the manager's descriptor store, under two names that take turns: the new one is there before the old one
/// goes, whatever happens on the way.
///
/// Used on the keeper's queue, where it may wait for the manager.
final class StateStore: Sendable {
  /// What is on its way into the store.
  struct Offer {
    var name: StoreName
    var memory: HeldDescriptors
    /// What lay there before.
    var before: [StoreName]
    var isSent = false
  }

  /// The places that a state and its successor take.
  static let places = 2
  /// How long the manager may take to say that it has what it was sent.
  private static let patience = Duration.seconds(5)

  /// The same for all that is still on its way when the process ends: the file waits behind it.
  private static let lastPatience = Duration.milliseconds(300)

  private struct Room: Sendable { var left: @Sendable () -> Int? }

  private let voice: ManagerVoice
  private let room: Room
  /// What lies in the store, the newest last.
  private let stored: Locked<[StoreName]>
  /// When nothing is waited for any more.
  private let end = Shared<ContinuousClock.Instant?>(nil)

  /// - Parameters:
  ///   - stored: what an earlier run has left, the newest last.
  ///   - room: how many places nobody but state has; nil when the manager does not say.
  init(_ voice: ManagerVoice, stored: [StoreName], room: @escaping @Sendable () -> Int?) {
    self.voice = voice
    self.room = Room(left: room)
    self.stored = Locked(stored)
  }

  /// The process ends soon, whatever the manager does.
  func hurry() { end.withLock { $0 = $0 ?? .now + Self.lastPatience } }

  private func patience() -> () -> Bool {
    let own = ContinuousClock.now + Self.patience
    return { [end] in .now >= own || end.withLock { $0.map { .now >= $0 } ?? false } }
  }

  var isEmpty: Bool { stored.withLock({ $0.isEmpty }) }

  /// Sends it if the manager reads. A full store would close it without a word, so that is an error here: ENOSPC.
  func offer(_ bytes: [UInt8]) throws(LinuxError) -> Offer {
    let before = stored.withLock({ $0 })
    let name = before.last == .state(isOdd: false) ? StoreName.state(isOdd: true) : .state(isOdd: false)
    let count = Set(before).subtracting([name]).count + 1
    if let left = room.left(), count > left { throw LinuxError("FDSTORE=1", ENOSPC) }
    let memory = HeldDescriptors([try SealedMemory.make("lifecycle-state", bytes)])
    var offer = Offer(name: name, memory: memory, before: before)
    do throws(LinuxError) {
      try send(&offer, until: { true })
    } catch {
      guard ManagerVoice.isFull(error) else { throw error }
    }
    return offer
  }

  /// Waits until the manager has it, and has the old one removed.
  func settle(_ offer: Offer) throws(LinuxError) {
    let isOver = patience()
    var offer = offer
    if !offer.isSent { try send(&offer, until: isOver) }
    try voice.barrier(until: isOver)
    for old in Set(offer.before) where old != offer.name { try voice.say(Self.removal(of: old), until: isOver) }
    stored.withLock { $0 = [offer.name] }
  }

  private func send(_ offer: inout Offer, until isOver: () -> Bool) throws(LinuxError) {
    let name = offer.name
    // One that is older, or of which it was never learned whether it had arrived.
    if offer.before.contains(name) { try voice.say(Self.removal(of: name), until: isOver) }
    stored.withLock { $0 = [name] + $0.filter { $0 != name } }
    try voice.say(["FDSTORE=1", "FDNAME=\(name.text)", "FDPOLL=0"], offer.memory.numbers, until: isOver)
    offer.isSent = true
  }

  /// State lies elsewhere from now on: what is in the store would only be taken for the newest one day.
  func clear() throws(LinuxError) {
    let isOver = patience()
    for name in Set(stored.withLock({ $0 })) {
      try voice.say(Self.removal(of: name), until: isOver)
      stored.withLock { $0.removeAll { $0 == name } }
    }
  }

  /// The same without waiting, on the loop.
  func forget() {
    let unused = stored.withLock { stored in
      defer { stored = [] }
      return Set(stored)
    }
    for name in unused { voice.tell(Self.removal(of: name), nil) }
  }

  private static func removal(of name: StoreName) -> [String] { ["FDSTOREREMOVE=1", "FDNAME=\(name.text)"] }
}
