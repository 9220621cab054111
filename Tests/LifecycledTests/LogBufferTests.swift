import Dispatch
import Glibc
import Mediator
import MediatorLinux
import Testing

@testable import lifecycled

@Suite("Log buffer and writer", .timeLimit(.minutes(5)))
struct LogBufferTests {
  private func buffer(lines: Int = 4, bytes: Int = 100) -> LogBuffer {
    LogBuffer(lineLimit: lines, byteLimit: bytes) { .text("lost \($0)") }
  }

  private static func take(_ buffer: inout LogBuffer) -> [String] {
    buffer.takeAll().map { item in
      guard case .text(let line) = item.record else { return "fields" }
      return line
    }
  }

  @Test("lines come out in order, once")
  func order() {
    var buffer = buffer()
    for line in ["a", "b"] { buffer.add(.text(line)) }
    let first = Self.take(&buffer)
    #expect(first == ["a", "b"])
    let second = Self.take(&buffer)
    #expect(second == [])
  }

  @Test("what is too much is counted, and said once when there is room")
  func lines() {
    var buffer = buffer()
    for number in 0..<10 { buffer.add(.text("\(number)")) }
    let first = Self.take(&buffer)
    #expect(first == ["0", "1", "2", "3"])
    buffer.add(.text("later"))
    let second = Self.take(&buffer)
    #expect(second == ["lost 6", "later"])
    let third = Self.take(&buffer)
    #expect(third == [])
  }

  @Test("a loss is said also when nothing more comes")
  func lossAtTheEnd() {
    var buffer = buffer()
    for number in 0..<5 { buffer.add(.text("\(number)")) }
    _ = buffer.takeAll()
    let last = Self.take(&buffer)
    #expect(last == ["lost 1"])
    let nothing = Self.take(&buffer)
    #expect(nothing == [])
  }

  @Test("bytes count as lines do, and those of fields too")
  func bytes() {
    var buffer = buffer()
    buffer.add(.text(String(repeating: "x", count: 40)))
    buffer.add(.fields(["A=" + String(repeating: "x", count: 18), "B=" + String(repeating: "x", count: 18)]))
    buffer.add(.text(String(repeating: "x", count: 40)))
    let first = buffer.takeAll()
    #expect(first.count == 2)
    let second = Self.take(&buffer)
    #expect(second == ["lost 1"])
  }

  @Test("what could not be written is said with the next line, with all that was lost before it")
  func cutOff() {
    var buffer = buffer()
    buffer.add(.text("a"))
    for lost in [1, 2, 3] {
      let weights = buffer.takeAll().reduce(0) { $0 + $1.weight }
      #expect(weights == lost)
      buffer.lose(weights)
      let atOnce = buffer.takeAll()
      #expect(atOnce.isEmpty)
      buffer.add(.text("b"))
    }
    let last = Self.take(&buffer)
    #expect(last == ["lost 3", "b"])
  }

  private struct Pipe {
    let (readEnd, writeEnd): (Int32, Int32)

    init() {
      var ends: [Int32] = [0, 0]
      precondition(Glibc.pipe(&ends) == 0)
      (readEnd, writeEnd) = (ends[0], ends[1])
    }

    func close() { for end in [readEnd, writeEnd] { Glibc.close(end) } }

    /// What it holds, up to 100 bytes.
    func text() -> String {
      var buffer = [UInt8](repeating: 0, count: 100)
      let count = read(readEnd, &buffer, buffer.count)
      return String(decoding: buffer.prefix(count), as: UTF8.self)
    }
  }

  @Test("a reader that does not read holds nobody up, and finish waits no longer than it is told")
  func slowReader() {
    let pipe = Pipe()
    defer { pipe.close() }
    let writer = LogWriter(descriptor: pipe.writeEnd, buffer: LogBuffer { .text("lost \($0)") })
    let began = ContinuousClock.now
    for _ in 0..<3000 { writer.write(.text(String(repeating: "x", count: 1000))) }
    writer.finish(within: .milliseconds(50))
    #expect(ContinuousClock.now - began < .seconds(20))
    var all: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 65536)
    _ = fcntl(pipe.readEnd, F_SETFL, O_NONBLOCK)
    let end = ContinuousClock.now + .seconds(20)
    while ContinuousClock.now < end, !String(decoding: all.suffix(20), as: UTF8.self).contains("lost ") {
      let count = read(pipe.readEnd, &buffer, buffer.count)
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
        let writer = LogWriter(descriptor: descriptor, buffer: LogBuffer { .text("lost \($0)") })
        for _ in 0..<10 { writer.write(.text("x")) }
        writer.finish(within: .seconds(10))
      }
    }
  }

  /// A journal that can be made to refuse, and to wait.
  private final class FakeJournal: Sendable {
    let refuses = Shared(false)
    let entries = Shared<[[String]]>([])
    let gate = Shared<Gate?>(nil)

    func take(_ fields: [String]) -> Bool {
      gate.withLock(\.self)?.waitOpen()
      if refuses.withLock(\.self) { return false }
      entries.withLock { $0.append(fields) }
      return true
    }

    func writer(_ descriptor: Int32 = -1) -> LogWriter {
      LogWriter(descriptor: descriptor, buffer: LogBuffer { .fields(["lost=\($0)"]) }, journal: take)
    }
  }

  @Test("a journal that does not read holds nobody up, and what was too much is counted")
  func slowJournal() {
    let journal = FakeJournal()
    let gate = Gate()
    journal.gate.withLock { $0 = gate }
    let writer = journal.writer()
    for number in 0..<3000 { writer.write(.fields(["n=\(number)"])) }
    writer.finish(within: .milliseconds(50))
    #expect(journal.entries.withLock(\.count) == 0)
    gate.stayOpen()
    writer.finish(within: .seconds(20))
    let entries = journal.entries.withLock(\.self)
    // More than once, if the writer came late.
    let lost = entries.compactMap(\.first).filter { $0.hasPrefix("lost=") }.compactMap { Int($0.dropFirst(5)) }
    #expect(!lost.isEmpty && lost.reduce(0, +) + entries.count - lost.count == 3000)
  }

  @Test("a journal that refuses loses lines, and tells how many once it takes one again")
  func refusingJournal() {
    let journal = FakeJournal()
    journal.refuses.withLock { $0 = true }
    let writer = journal.writer()
    for number in 0..<3 {
      writer.write(.fields(["n=\(number)"]))
      writer.finish(within: .seconds(20))
    }
    journal.refuses.withLock { $0 = false }
    writer.write(.fields(["n=3"]))
    writer.finish(within: .seconds(20))
    #expect(journal.entries.withLock(\.self) == [["lost=3"], ["n=3"]])
  }

  @Test("without a thread what has to wait waits for one, and at the end for nobody", arguments: [false, true])
  func noThread(comesLate: Bool) {
    let pipe = Pipe()
    defer { pipe.close() }
    let (journal, isThere) = (FakeJournal(), Shared(false))
    let writer = LogWriter(
      descriptor: pipe.writeEnd, buffer: LogBuffer { .text("lost \($0)") }, journal: journal.take,
      startThread: { isThere.withLock({ $0 }) && LogWriter.thread($0) })
    writer.write(.text("a"))
    for name in ["b", "c"] { writer.write(.fields([name])) }
    writer.write(.text("d"))
    #expect(journal.entries.withLock(\.self) == [])
    isThere.withLock { $0 = comesLate }
    writer.finish(within: .seconds(20))
    #expect(journal.entries.withLock(\.self) == [["b"], ["c"]])
    #expect(pipe.text() == "a\nd\n")
  }

  @Test("the end without a thread waits for a full pipe no longer than it is told")
  func noThreadAndNoReader() {
    let pipe = Pipe()
    defer { pipe.close() }
    let writer = LogWriter(
      descriptor: pipe.writeEnd, buffer: LogBuffer { .text("lost \($0)") }, startThread: { _ in false })
    for _ in 0..<200 { writer.write(.text(String(repeating: "x", count: 1000))) }
    let began = ContinuousClock.now
    writer.finish(within: .milliseconds(50))
    #expect(ContinuousClock.now - began < .seconds(20))
  }

  @Test("text and fields leave in the order in which they came")
  func mixed() {
    let pipe = Pipe()
    defer { pipe.close() }
    let journal = FakeJournal()
    let writer = journal.writer(pipe.writeEnd)
    for record in [.text("a"), .text("b"), .fields(["c"]), .text("d")] as [LogRecord] { writer.write(record) }
    writer.finish(within: .seconds(20))
    #expect(pipe.text() == "a\nb\nd\n")
    #expect(journal.entries.withLock(\.self) == [["c"]])
  }
}
