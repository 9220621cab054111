import Glibc
import MediatorLinux
import Testing

@Suite("Small files and calls that block", .timeLimit(.minutes(5)))
struct SmallFileTests {
  let folder: String

  init() {
    var template = Array("/tmp/mediator.XXXXXX".utf8CString)
    folder = mkdtemp(&template).map { String(cString: $0) } ?? ""
  }

  private func remove() {
    for name in ["file", "pipe"] { unlink("\(folder)/\(name)") }
    rmdir(folder)
  }

  private func failure(_ path: String, limit: Int = 100) -> Int32? {
    do throws(LinuxError) {
      _ = try SmallFile.read(path, limit: limit)
      return nil
    } catch {
      return error.code
    }
  }

  @Test("a file is read up to its limit, and nothing that is no file is waited for")
  func kinds() throws {
    defer { remove() }
    let path = "\(folder)/file"
    let file = fopen(path, "we")!
    fputs("12345", file)
    fclose(file)
    #expect(try SmallFile.read(path, limit: 5) == Array("12345".utf8))
    #expect(failure(path, limit: 4) == EFBIG)
    #expect(failure(folder) == EISDIR)
    #expect(failure("\(folder)/none") == ENOENT)
    #expect(failure("\(path)/none") == ENOTDIR)
    #expect(failure("/dev/zero") == ENODEV)
    #expect(failure("a\0b") == EINVAL)
    mkfifo("\(folder)/pipe", 0o600)
    #expect(failure("\(folder)/pipe") == ENODEV)
  }

  @Test("what lies at a path is seen without opening it")
  func look() throws {
    defer { remove() }
    try SmallFile.look(at: folder)
    #expect(throws: LinuxError("stat", ENOENT)) { try SmallFile.look(at: "\(folder)/none") }
  }

  @Test("a blocking call has a thread of its own, and as many wait at once as are called")
  func blocking() async throws {
    let gate = Gate()
    let count = 20
    let begun = Log<Int>()
    let numbers = try await withThrowingTaskGroup(of: Int.self) { group in
      for number in 0..<count {
        group.addTask {
          try await BlockingCall.run("blocking") {
            begun.add(number)
            gate.waitOpen()
            return number
          }
        }
      }
      try await BlockingCall.run("opening") {
        _ = begun.wait(for: count)
        gate.stayOpen()
      }
      return try await group.reduce(into: []) { $0.append($1) }
    }
    #expect(numbers.sorted() == Array(0..<count))
  }
}
