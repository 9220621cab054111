/// Requests, one after the other and in batches, and who is asked when nobody takes one.
import Foundation
import Mediator
import MediatorBridge
import MediatorTestKit
import Testing

@testable import Snippets

extension SnippetTests {
  @Test("a request is taken, refused or unclaimed, also one that came before the start was over")
  func requests() async throws {
    let driver = LifecycleDriver {
      FrontDoor()
      Invoices()
    }
    let lifecycle = driver.lifecycle
    async let early = open(URL(string: "invoice://7")!, lifecycle)
    try await driver.start()
    #expect(await early == "Invoices: invoice 7")
    #expect(
      await open(URL(string: "invoice://seven")!, lifecycle) == "Invoices refuses: invoice://seven names no invoice")
    #expect(await open(URL(string: "recipe://1")!, lifecycle) == "nobody opens recipe://1")
    #expect(await driver.send(.reopen) == .handled(by: "FrontDoor", Data("already running".utf8)))
    #expect(await driver.stop() == 0)
  }

  private struct Feeds: RequestListener {
    func answer(_ request: LifecycleRequest) -> RequestAnswer {
      request.payload == Data("b".utf8) ? .refused("it is away") : .taken(Data())
    }
  }

  @Test("each request of a batch has its own result, in the order of the batch")
  func batch() async throws {
    let driver = LifecycleDriver { Feeds() }
    try await driver.start()
    #expect(await refresh(["a", "b", "c"], driver.lifecycle) == ["b"])
    #expect(await driver.stop() == 0)
    #expect(await refresh(["a"], driver.lifecycle) == ["a"])
  }

  @Test("a fallback gets the requests that all declined, and the signals that nobody else names")
  func fallback() async throws {
    let file = FileManager.default.temporaryDirectory.appending(path: "access-\(UUID())")
    defer { try? FileManager.default.removeItem(at: file) }
    let unknown = Unknown()
    let driver = LifecycleDriver { listenersWithFallback(unknown, accessLog: file.path) }
    try await driver.start()
    #expect(await driver.send(LifecycleRequest("dance")) == .refused(by: "Unknown", "there is no 'dance'"))
    #expect(await driver.send(.reopen) == .handled(by: "FrontDoor", Data("already running".utf8)))
    await driver.signal(.realtime(1))
    await driver.signal(.realtime(2), value: 7)
    #expect(await unknown.seen == ["dance", "signal \(SignalNumber.realtime(2).rawValue), value 7"])
    #expect(await driver.stop() == 0)
  }
}
