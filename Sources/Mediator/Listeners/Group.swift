/// Entries that are told one after the other and have a policy in common, as an entry.
///
/// `Group("caches") { … }.optional(timeout: .seconds(5))`: when a required one of them fails its start, none after it
/// is started and the service goes on without the group.
// swift-format-ignore: AlwaysUseLowerCamelCase
public func Group(_ name: String = "group", @ListenerBuilder _ content: () -> [ListenerEntry]) -> ListenerEntry {
  ListenerEntry(name, .group(content(), isConcurrent: false))
}

/// Entries that are told all at once, each on a thread of its own, as an entry.
///
/// An event has ended for the group when it has ended for all of them. Where a required one fails the start or a
/// reload, the others are cancelled.
// swift-format-ignore: AlwaysUseLowerCamelCase
public func Concurrently(
  _ name: String = "concurrently", @ListenerBuilder _ content: () -> [ListenerEntry]
) -> ListenerEntry {
  ListenerEntry(name, .group(content(), isConcurrent: true))
}
