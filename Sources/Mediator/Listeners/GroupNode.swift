/// A group of a mediator: its policy, and the group that it is in.
final class GroupNode: Sendable {
  let name: String
  let parent: GroupNode?
  let isConcurrent: Bool
  /// Its own policy, within its parent.
  let isRequired: Bool
  /// How long one event may take for all of it.
  let timeout: Duration?
  let isFallback: Bool

  init(_ entry: ListenerEntry, parent: GroupNode?, isConcurrent: Bool) {
    name = entry.name
    self.parent = parent
    self.isConcurrent = isConcurrent
    isRequired = entry.isRequired
    timeout = entry.timeout
    isFallback = entry.isFallback
  }

  /// From the innermost outwards.
  var chain: [GroupNode] {
    var chain: [GroupNode] = []
    var node: GroupNode? = self
    while let current = node {
      chain.append(current)
      node = current.parent
    }
    return chain
  }

  /// The outermost concurrent group that holds this one, or is it, and lies within `outer`.
  func outermostConcurrent(within outer: GroupNode?) -> GroupNode? {
    chain.prefix { $0 !== outer }.last(where: \.isConcurrent)
  }
}
