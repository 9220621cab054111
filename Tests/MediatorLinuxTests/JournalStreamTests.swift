/// Which descriptor leads to the journal.
import Glibc
import MediatorLinux
import Testing

@Suite("The stream of the journal", .timeLimit(.minutes(5)))
struct JournalStreamTests {
  private static func words(of descriptor: Int32) -> String {
    var status = stat()
    fstat(descriptor, &status)
    return "\(status.st_dev):\(status.st_ino)"
  }

  @Test("a descriptor is what $JOURNAL_STREAM names by its device and inode, and nothing else is")
  func same() throws {
    let (one, other) = (Pipe(), Pipe())
    let stream = try #require(JournalStream(Self.words(of: one.readEnd)))
    #expect(JournalStream(of: one.readEnd) == stream)
    #expect(JournalStream(of: one.writeEnd) == stream)
    #expect(JournalStream(of: other.readEnd) != stream)
    #expect(JournalStream(of: 999_999) == nil)
  }

  @Test(
    "what is no pair of numbers names nothing", arguments: ["", ":", "1", "1:", ":1", "1:2:3", "a:1", "1:-1", " 1:2"])
  func malformed(text: String) { #expect(JournalStream(text) == nil) }

  @Test("the environment names it")
  func environment() async {
    await #expect(processExitsWith: .success) {
      unsetenv("JOURNAL_STREAM")
      precondition(JournalStream.announced == nil)
      setenv("JOURNAL_STREAM", "8:15", 1)
      precondition(JournalStream.announced == JournalStream("8:15"))
    }
  }
}
