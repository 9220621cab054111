import Foundation
import Glibc
import Mediator
import MediatorLinux
import MediatorTestKit
import Testing

@testable import MediatorBridge

private struct Calendar: TimeChangeListener {
  let log = Shared<[TimeChange?]>([])
  func significantTimeChange(_ transition: LifecycleTransition) async throws {
    log.withLock { $0.append(transition.timeChange) }
  }
}

/// The source in the place of the bridge's, with a folder and a clock of the test's.
@Suite("Changes of time", .timeLimit(.minutes(5)))
final class TimeChangeSourceTests {
  private let folder: String
  private let loop: EventLoop
  private let calendar = Calendar()
  private let driver: LifecycleDriver
  private let source: TimeChangeSource
  private let clock: Int32
  private let readEnd: Int32

  init() async throws {
    let path = "/tmp/mediator-\(UInt64.random(in: 0 ... .max))"
    precondition(mkdir(path, 0o700) == 0)
    folder = path
    var ends: [Int32] = [0, 0]
    precondition(pipe(&ends) == 0)
    (readEnd, clock) = (ends[0], ends[1])
    loop = try EventLoop(name: "time")
    driver = LifecycleDriver { [calendar] in calendar }
    source = TimeChangeSource(
      lifecycle: driver.lifecycle, loop: loop, folder: path, clock: .init(make: { [readEnd] in dup(readEnd) }))
    try await driver.start()
  }

  deinit {
    loop.shutdown()
    close(clock)
    close(readEnd)
    try? FileManager.default.removeItem(atPath: folder)
  }

  private func onLoop(_ body: @escaping @Sendable (TimeChangeSource) -> Void) async {
    await withCheckedContinuation { continuation in
      loop.submit { [source] in
        body(source)
        continuation.resume()
      }
    }
  }

  private func open() async { await onLoop { $0.open() } }

  private var told: [TimeChange?] { calendar.log.withLock(\.self) }

  private func link(to target: String) {
    precondition(symlink(target, "\(folder)/new") == 0)
    rename("\(folder)/new", "\(folder)/localtime")
  }

  @Test("the clock is set twice: listeners are told each time, once it was told before")
  func set() async {
    await open()
    for count in 1...2 {
      #expect(write(clock, "12345678", 8) == 8)
      await eventually { told.count == count }
    }
    #expect(told == [.clockWasSet, .clockWasSet])
  }

  @Test("a zone that is replaced by a rename is told once, the same zone again not at all")
  func zone() async {
    link(to: "/usr/share/zoneinfo/Europe/Berlin")
    await open()
    link(to: "/usr/share/zoneinfo/Europe/Berlin")
    link(to: "/usr/share/zoneinfo/Asia/Tokyo")
    await eventually { told.count == 1 }
    #expect(told == [.timeZoneChanged])
    unlink("\(folder)/localtime")
    await eventually { told.count == 2 }
    #expect(told == [.timeZoneChanged, .timeZoneChanged])
  }

  @Test("what happens between the beginning of the run and the first opening is told then, once")
  func start() async {
    link(to: "/usr/share/zoneinfo/Europe/Berlin")
    await onLoop { $0.prepare() }
    #expect(write(clock, "12345678", 8) == 8)
    link(to: "/usr/share/zoneinfo/Asia/Tokyo")
    #expect(told == [])
    await open()
    await eventually { told.count == 2 }
    #expect(Set(told) == [.clockWasSet, .timeZoneChanged])
  }

  @Test("what happens while it is closed is not told, also not when it is opened again")
  func closed() async {
    await open()
    await onLoop { $0.close() }
    link(to: "/usr/share/zoneinfo/Asia/Tokyo")
    await onLoop { $0.open() }
    link(to: "/usr/share/zoneinfo/Europe/Berlin")
    await eventually { told.count == 1 }
    #expect(told == [.timeZoneChanged])
  }
}
