/// Descriptors that a child is given: their numbers, and that nothing else comes along.
import Glibc
import MediatorLinux
import Testing

@Suite("Passed descriptors", .timeLimit(.minutes(5)))
struct PassedDescriptorTests {
  /// An open file that is removed with it.
  final class Scratch: Sendable {
    let path: String
    let descriptor: Int32

    init() {
      var template = Array("/tmp/passed-XXXXXX".utf8CString)
      descriptor = mkstemp(&template)
      _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
      path = String(decoding: template.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    deinit {
      close(descriptor)
      unlink(path)
    }
  }

  /// What lies behind each number above 2 in a child, told by others about it: it opens nothing itself.
  private func seen(_ descriptors: [Int32: Int32]) throws -> [Int32: String] {
    let stage = try ChildTests.Stage()
    let script = "ls -l /proc/$$/fd; true"
    _ = try stage.start(
      SpawnRequest(
        executable: "/bin/sh", arguments: ["sh", "-c", script], environment: ["PATH=/usr/bin:/bin"],
        descriptors: descriptors))
    let end = stage.end()
    #expect(end.status == .exited(0))
    var seen: [Int32: String] = [:]
    for line in end.output.split(separator: "\n") {
      let words = line.split(separator: " ")
      guard words.count > 3, let number = Int32(words[words.count - 3]), number > 2 else { continue }
      seen[number] = String(words[words.count - 1])
    }
    return seen
  }

  @Test("each arrives under its number, with holes between them closed")
  func numbers() throws {
    let (a, b) = (Scratch(), Scratch())
    let stray = open("/dev/zero", O_RDONLY)  // one that exec would not close
    defer { close(stray) }
    #expect(
      try seen([3: a.descriptor, 4: b.descriptor, 9: a.descriptor]) == [3: a.path, 4: b.path, 9: a.path])
    #expect(fcntl(a.descriptor, F_GETFD) == FD_CLOEXEC)
    #expect(try seen([:]) == [:])
  }

  @Test("the numbers may be those of ours, crossed, the same, or in a ring")
  func overlaps() throws {
    let files = (0..<4).map { _ in Scratch() }
    let numbers = files.map(\.descriptor)
    let crossed = [
      numbers[0]: numbers[1], numbers[1]: numbers[2], numbers[2]: numbers[0], numbers[3]: numbers[3],
    ]
    #expect(
      try seen(crossed) == [
        numbers[0]: files[1].path, numbers[1]: files[2].path, numbers[2]: files[0].path, numbers[3]: files[3].path,
      ])
  }

  @Test("our standard streams may be passed too, and the child's own stay")
  func standardStreams() throws {
    let seen = try seen([3: 1])
    #expect(seen.keys.sorted() == [3])
    #expect(seen[3] == linkOfDescriptor(1))
  }

  @Test("what cannot be passed fails the start and leaves nothing open", arguments: [[3: -1], [2: 1], [1024: 1]])
  func refused(descriptors: [Int32: Int32]) throws {
    let stage = try ChildTests.Stage()
    #expect(throws: LinuxError("fcntl", EBADF)) {
      try stage.start(SpawnRequest(executable: "/bin/true", arguments: ["true"], descriptors: descriptors))
    }
    #expect(stage.log.count == 0)
  }
}
