internal import Glibc
public import Mediator
internal import MediatorLinux

/// Listening sockets that outlive the process: the manager keeps a copy (FDSTORE=1 of sd_notify(3)), so that who connects
/// while the service starts again waits in the kernel's queue, and nobody is refused.
extension LifecycleContext {
  /// Asks the manager to keep a copy of a socket, for the next run to take with `takeSocket(_:as:)`.
  ///
  /// The unit needs `FileDescriptorStoreMax=`, with a place for each socket, and two for state. The copy stays until the
  /// service is stopped and not started again, until `forgetSocket`, or until a run has ended its start without taking
  /// it. Close the socket in a stop as ever, but never `shutdown(2)` it: that ends the copy, too. One that is kept
  /// already may be kept again.
  ///
  /// - Parameters:
  ///   - socket: a listening socket; it stays the caller's.
  ///   - name: what the next run asks for. Say in it what could change, such as the port: what nobody asks for is let go.
  /// - Returns: false without a service manager, or when it says (`$FDSTORE`, systemd 254) that its store has no room,
  ///   less the two places of state where a listener is `StateRestoring`. The next run then opens its own.
  /// - Throws: `.socket` for a name that cannot be one, or a descriptor that does not listen.
  @discardableResult
  public func keepSocket(_ socket: Int32, as name: String) throws(LifecycleError) -> Bool {
    if let fault = StoreName.fault(inSocketName: name) {
      throw LifecycleError(
        .socket, message: "a socket cannot be kept as \"\(name)\": \(fault)", advice: "choose another name")
    }
    guard SocketKind.streamListener.matches(socket) || SocketKind.sequentialPacketListener.matches(socket) else {
      throw LifecycleError(
        .socket, message: "descriptor \(socket), to be kept as \(name), is no listening socket",
        advice: "keep it after listen(2)")
    }
    guard let kept = self[KeptSockets.key] else { return false }
    let copy = fcntl(socket, F_DUPFD_CLOEXEC, 3)
    guard copy >= 0 else {
      throw LifecycleError(.system, message: "dup: \(LinuxError.text(errno))", errno: errno)
    }
    return kept.keep(HeldDescriptors([copy]), as: name)
  }

  /// The manager is to keep the socket no longer, for instance because a reload has brought another address.
  public func forgetSocket(_ name: String) { self[KeptSockets.key]?.forget(name) }

  /// The start has ended: what an earlier run has kept, and nobody took, would let clients wait for ever.
  func letGoOfUntakenSockets() {
    let all = start.keptSockets
    if all.isEmpty { return }
    let untaken = update(Self.taken) { taken in
      let untaken = all.filter { !taken.contains($0.value) }
      taken.formUnion(untaken.values)
      return untaken
    }
    update(Self.letGo) { $0.formUnion(untaken.keys) }
    for (name, descriptor) in untaken {
      forgetSocket(name)
      _ = HeldDescriptors([descriptor])
    }
  }
}
