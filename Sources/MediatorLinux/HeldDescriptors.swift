/// Descriptors that are closed when nobody holds them any more.
internal import Glibc

package final class HeldDescriptors: Sendable {
  /// What is behind a descriptor; equal for two that lead to the same socket, pipe end or file.
  package struct Identity: Hashable, Sendable {
    private var device: UInt
    private var inode: UInt
    private var access: Int32

    /// nil for a descriptor that is not open.
    package init?(_ descriptor: Int32) {
      var status = stat()
      guard unsafe fstat(descriptor, &status) == 0 else { return nil }
      // Both ends of a pipe are one inode.
      (device, inode, access) = (status.st_dev, status.st_ino, fcntl(descriptor, F_GETFL) & O_ACCMODE)
    }
  }

  package let numbers: [Int32]

  /// Takes them over.
  package init(_ numbers: [Int32]) { self.numbers = numbers }

  deinit { for number in numbers { _ = close(number) } }

  package var identities: Set<Identity> { Set(numbers.compactMap { Identity($0) }) }

  /// Whether the other side of one of them is gone: POLLHUP or POLLERR of poll(2).
  package var haveHungUp: Bool {
    numbers.contains { number in
      var wanted = pollfd(fd: number, events: 0, revents: 0)
      return unsafe poll(&wanted, 1, 0) > 0 && wanted.revents & Int16(POLLHUP | POLLERR) != 0
    }
  }
}
