/// A pipe whose one end is given away, to learn when nobody holds it any more.
internal import CMediatorLinux
internal import Glibc

package enum HangUpPipe {
  /// Gives an end away, which is this process's own no longer, and blocks until nobody holds it.
  ///
  /// - Parameters:
  ///   - isOver: asked again and again whether to wait no longer.
  ///   - give: passes the end on; it is closed here afterwards.
  /// - Returns: false when somebody still holds it then.
  package static func wait(
    until isOver: () -> Bool, _ give: (Int32) throws(LinuxError) -> Void
  ) throws(LinuxError) -> Bool {
    var ends: [Int32] = [-1, -1]
    let result = unsafe mediator_pipe(&ends)
    guard result >= 0 else { throw LinuxError("pipe2", -result) }
    let kept = HeldDescriptors([ends[0]])
    do {
      defer { _ = close(ends[1]) }
      try give(ends[1])
    }
    while !kept.haveHungUp {
      if isOver() { return false }
      var wanted = pollfd(fd: ends[0], events: 0, revents: 0)
      _ = unsafe poll(&wanted, 1, 20)
    }
    return true
  }
}
