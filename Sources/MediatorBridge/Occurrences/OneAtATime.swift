/// Lets one telling of each thing be on its way: what comes meanwhile is told once more afterwards. A pure value.
package struct OneAtATime<Thing: Hashable & Sendable>: Hashable, Sendable {
  private var onTheirWay: Set<Thing> = []
  private var waiting: Set<Thing> = []

  package init() {}

  /// Whether to tell it now.
  package mutating func came(_ thing: Thing) -> Bool {
    if onTheirWay.insert(thing).inserted { return true }
    waiting.insert(thing)
    return false
  }

  /// Everybody has been told; whether to tell it once more.
  package mutating func ended(_ thing: Thing) -> Bool {
    if waiting.remove(thing) != nil { return true }
    onTheirWay.remove(thing)
    return false
  }
}
