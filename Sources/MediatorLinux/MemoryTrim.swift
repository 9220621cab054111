/// Gives memory that is free in the process back to the system (`malloc_trim(3)`).
internal import CMediatorLinux

package enum MemoryTrim {
  /// Takes as long as there are free pages to be given back: not for the event loop.
  package static func trim() { _ = mediator_malloc_trim() }
}
