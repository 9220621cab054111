import Testing

@testable import MediatorBridge

@Suite("What is sent to the manager again")
struct NotifyOutboxTests {
  private let ready = NotifyOutbox.Message("READY=1", .state)
  private let status = NotifyOutbox.Message("STATUS=x", .passing)
  private let stopping = NotifyOutbox.Message("STOPPING=1", .state)

  @Test("A19: a full socket keeps READY and STOPPING in order, and drops what is only STATUS")
  func full() {
    var outbox = NotifyOutbox()
    #expect(outbox.add(ready) == .sendNext)
    #expect(outbox.sent(.full) == (.waitAndRetry, true))
    #expect(outbox.add(status) == .idle)
    #expect(outbox.add(stopping) == .idle)
    #expect(outbox.next?.text == ready.text)
    #expect(outbox.sent(.full) == (.waitAndRetry, false))
    #expect(outbox.sent(.sent) == (.sendNext, false))
    #expect(outbox.next?.text == stopping.text)
    #expect(outbox.sent(.sent) == (.idle, false))
    #expect(outbox.isEmpty)
  }

  @Test("A STATUS that finds the socket full is dropped at once")
  func droppedStatus() {
    var outbox = NotifyOutbox()
    _ = outbox.add(status)
    #expect(outbox.sent(.full) == (.idle, true))
    #expect(outbox.isEmpty)
  }

  @Test("A16: an error is final for its message, and is reported once until a send succeeds")
  func failed() {
    var outbox = NotifyOutbox()
    _ = outbox.add(ready)
    #expect(outbox.sent(.failed) == (.idle, true))
    _ = outbox.add(stopping)
    #expect(outbox.sent(.failed) == (.idle, false))
    _ = outbox.add(status)
    #expect(outbox.sent(.sent) == (.idle, false))
    _ = outbox.add(ready)
    #expect(outbox.sent(.failed) == (.idle, true))
  }

  @Test("A manager that never reads costs no memory without end")
  func bounded() {
    var outbox = NotifyOutbox()
    _ = outbox.add(ready)
    _ = outbox.sent(.full)
    for _ in 0..<10_000 { _ = outbox.add(stopping) }
    var count = 0
    while outbox.next != nil, count < 10_000 {
      count += 1
      _ = outbox.sent(.sent)
    }
    #expect(count == 256)
  }

  @Test("A program that talks without end pushes out none of our states, and says nothing twice in a row")
  func talkative() {
    var outbox = NotifyOutbox()
    _ = outbox.add(NotifyOutbox.Message("ERRNO=1", .forwarded))
    _ = outbox.sent(.full)
    _ = outbox.add(ready)
    for number in 0..<1_000 {
      for _ in 0..<2 { _ = outbox.add(NotifyOutbox.Message("ERRNO=\(number)", .forwarded)) }
    }
    _ = outbox.add(stopping)
    var texts: [String] = []
    while let next = outbox.next {
      texts.append(next.text)
      _ = outbox.sent(.sent)
    }
    #expect(texts.prefix(2) == ["ERRNO=1", "READY=1"])
    #expect(texts.suffix(2) == ["ERRNO=999", "STOPPING=1"])
    #expect(texts.count == 256 && Set(texts).count == 256)
  }
}
