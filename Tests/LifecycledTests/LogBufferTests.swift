import Dispatch
import Glibc
import Testing

@testable import lifecycled

@Suite("Log buffer and writer", .timeLimit(.minutes(5)))
struct LogBufferTests {
  private func buffer(lines: Int = 4, bytes: Int = 100) -> LogBuffer {
    LogBuffer(lineLimit: lines, byteLimit: bytes) { "lost \($0)" }
  }

  @Test("lines come out in order, once")
  func order() {
    var buffer = buffer()
    for line in ["a", "b"] { buffer.add(line) }
    #expect(buffer.takeAll() == ["a", "b"])
    #expect(buffer.takeAll() == [])
  }

  @Test("what is too much is counted, and said once when there is room")
  func lines() {
    var buffer = buffer()
    for number in 0..<10 { buffer.add("\(number)") }
    #expect(buffer.takeAll() == ["0", "1", "2", "3"])
    buffer.add("later")
    #expect(buffer.takeAll() == ["lost 6", "later"])
    #expect(buffer.takeAll() == [])
  }

  @Test("a loss is said also when nothing more comes")
  func lossAtTheEnd() {
    var buffer = buffer()
    for number in 0..<5 { buffer.add("\(number)") }
    _ = buffer.takeAll()
    #expect(buffer.takeAll() == ["lost 1"])
    #expect(buffer.takeAll() == [])
  }

  @Test("bytes count as lines do")
  func bytes() {
    var buffer = buffer()
    for _ in 0..<3 { buffer.add(String(repeating: "x", count: 40)) }
    #expect(buffer.takeAll().count == 2)
    #expect(buffer.takeAll() == ["lost 1"])
  }

  private func pipe() -> (read: Int32, write: Int32) {
    var ends: [Int32] = [0, 0]
    precondition(Glibc.pipe(&ends) == 0)
    return (ends[0], ends[1])
  }

  @Test("a reader that does not read holds nobody up, and finish waits no longer than it is told")
  func slowReader() {
    let (readEnd, writeEnd) = pipe()
    defer {
      close(readEnd)
      close(writeEnd)
    }
    let writer = LogWriter(descriptor: writeEnd, buffer: LogBuffer { "lost \($0)" })
    let began = ContinuousClock.now
    for _ in 0..<3000 { writer.write(String(repeating: "x", count: 1000)) }
    writer.finish(within: .milliseconds(50))
    #expect(ContinuousClock.now - began < .seconds(20))
    var all: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 65536)
    _ = fcntl(readEnd, F_SETFL, O_NONBLOCK)
    let end = ContinuousClock.now + .seconds(20)
    while ContinuousClock.now < end, !String(decoding: all.suffix(20), as: UTF8.self).contains("lost ") {
      let count = read(readEnd, &buffer, buffer.count)
      if count > 0 { all += buffer.prefix(count) } else { sched_yield() }
    }
    let lines = all.split(separator: UInt8(ascii: "\n"))
    let lost = lines.last.flatMap { Int(String(decoding: $0.dropFirst(5), as: UTF8.self)) }
    #expect(lost.map { $0 + lines.count - 1 } == 3000)
  }

  @Test("a writer without a reader, or with no descriptor, goes on")
  func noReader() async {
    await #expect(processExitsWith: .success) {
      signal(SIGPIPE, SIG_IGN)
      var ends: [Int32] = [0, 0]
      precondition(Glibc.pipe(&ends) == 0)
      close(ends[0])
      for descriptor in [ends[1], 999] {
        let writer = LogWriter(descriptor: descriptor, buffer: LogBuffer { "lost \($0)" })
        for _ in 0..<10 { writer.write("x") }
        writer.finish(within: .seconds(10))
      }
    }
  }
}
