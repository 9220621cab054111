import Glibc
import MediatorLinux
import Testing

@Suite("Sealed memory, kept files and pipes that hang up", .timeLimit(.minutes(5)))
struct KeptFileTests {
  private func code(_ body: () throws(LinuxError) -> Void) -> Int32? {
    do throws(LinuxError) { try body() } catch { return error.code }
    return nil
  }

  @Test("sealed memory has its bytes for every reader, and nobody changes it")
  func sealed() throws {
    let bytes = (0..<100_000).map { UInt8(truncatingIfNeeded: $0) }
    let memory = HeldDescriptors([try SealedMemory.make("test", bytes)])
    let descriptor = memory.numbers[0]
    lseek(descriptor, 500, SEEK_SET)
    #expect(try SealedMemory.read(descriptor, limit: bytes.count) == bytes)
    #expect(try SealedMemory.read(descriptor, limit: bytes.count) == bytes)
    #expect(write(descriptor, "x", 1) < 0 && ftruncate(descriptor, 0) < 0 && ftruncate(descriptor, 1_000_000) < 0)
    #expect(fcntl(descriptor, F_GETFD) == FD_CLOEXEC)
    #expect(code { () throws(LinuxError) in _ = try SealedMemory.read(descriptor, limit: 10) } == EFBIG)
    #expect(code { () throws(LinuxError) in _ = try SealedMemory.read(0, limit: 10) } == EINVAL)
    let empty = HeldDescriptors([try SealedMemory.make("", [])])
    #expect(try SealedMemory.read(empty.numbers[0], limit: 0) == [])
  }

  @Test("a kept file is replaced as a whole, for its owner alone, and no link is followed")
  func file() throws {
    var template = Array("/tmp/mediator.XXXXXX".utf8CString)
    let folder = try #require(mkdtemp(&template).map { String(cString: $0) })
    let file = KeptFile(folder: folder, name: "kept")
    defer {
      for name in ["kept", ".kept.new", "other"] { unlink("\(folder)/\(name)") }
      rmdir(folder)
    }
    #expect(try file.read(limit: 10) == nil)
    try file.replace([1, 2, 3])
    // Half of what an earlier run has written.
    symlink("/dev/full", "\(folder)/.kept.new")
    try file.replace([4, 5])
    #expect(try file.read(limit: 2) == [4, 5])
    #expect(Folder.names(folder) == ["kept"])
    var status = stat()
    #expect(stat(file.path, &status) == 0 && status.st_mode & 0o7777 == 0o600)
    #expect(code { () throws(LinuxError) in _ = try file.read(limit: 1) } == EFBIG)
    chmod(file.path, 0o620)
    #expect(code { () throws(LinuxError) in _ = try file.read(limit: 10) } == EPERM)
    rename(file.path, "\(folder)/other")
    symlink("other", file.path)
    #expect(code { () throws(LinuxError) in _ = try file.read(limit: 10) } == ELOOP)
    unlink(file.path)
    mkfifo(file.path, 0o600)
    #expect(code { () throws(LinuxError) in _ = try file.read(limit: 10) } == EINVAL)
    let none = KeptFile(folder: "\(folder)/none", name: "kept")
    #expect(code { () throws(LinuxError) in try none.replace([]) } == ENOENT)
  }

  @Test("the lock beside a kept file is one holder's, until it is let go of")
  func lock() throws {
    var template = Array("/tmp/mediator.XXXXXX".utf8CString)
    let folder = try #require(mkdtemp(&template).map { String(cString: $0) })
    let file = KeptFile(folder: folder, name: "kept")
    defer {
      unlink("\(folder)/.kept.lock")
      rmdir(folder)
    }
    var held: HeldDescriptors? = try file.lock()
    #expect(held.map { fcntl($0.numbers[0], F_GETFD) } == FD_CLOEXEC)
    #expect(code { () throws(LinuxError) in _ = try file.lock() } == EWOULDBLOCK)
    held = nil
    #expect(code { () throws(LinuxError) in _ = try file.lock() } == nil)
    #expect(code { () throws(LinuxError) in _ = try KeptFile(folder: "\(folder)/none", name: "x").lock() } == ENOENT)
  }

  @Test("a pipe tells when nobody holds its given end any more, and waits no longer than it may")
  func pipe() throws {
    #expect(try HangUpPipe.wait(until: { false }, { _ in }))
    var held: Int32 = -1
    let hasHungUp = try HangUpPipe.wait(until: { true }, { held = dup($0) })
    #expect(!hasHungUp)
    close(held)
  }
}
