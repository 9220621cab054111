/// A bus connection as a source of the loop.
internal import CLibsystemd

extension EventLoop {
  /// Has the loop read, write and time out for a connection, from here until that is detached; on the loop.
  @unsafe func attach(bus: OpaquePointer?) -> Int32 {
    checkIsolated()
    return unsafe sd_bus_attach_event(bus, event, Int32(Priority.normal.rawValue))
  }
}
