/// The program that README.md begins with, as systemd sees it: real signals in, real datagrams out.
import Foundation
import Glibc
import MediatorLinux
import Testing

@Suite(.timeLimit(.minutes(5)))
struct HelloDaemonTests {
  /// What a service manager hears, in order.
  private final class Manager {
    let receiver: NotifyReceiver
    private var messages: [[String]] = []

    init() throws { receiver = try NotifyReceiver(address: "@hello-\(UUID().uuidString)") }

    /// The next message that says more than its status.
    func next() throws -> [String] {
      try #require(
        try ExampleProcess.eventually {
          messages += try receiver.receive().map { $0.text.split(separator: "\n").map(String.init) }
          messages.removeAll { $0.allSatisfy { $0.hasPrefix("STATUS=") || $0.hasPrefix("EXTEND_") } }
          return !messages.isEmpty
        })
      return messages.removeFirst()
    }
  }

  @Test("the README's program starts, refuses a bad reload, takes a good one and stops, and systemd is told each time")
  func life() throws {
    let manager = try Manager()
    let hello = try ExampleProcess("HelloDaemon", variables: ["NOTIFY_SOCKET=\(manager.receiver.address)"])
    #expect(try manager.next() == ["STATUS=running", "READY=1"])

    try hello.signal(SIGHUP)
    #expect(try manager.next().first == "RELOADING=1")
    let refused = try manager.next()
    #expect(refused.last == "READY=1")
    #expect(refused.first?.hasPrefix("STATUS=reload failed: Greeter: ") == true)

    try "Good morning".write(toFile: hello.folder + "/greeting.txt", atomically: true, encoding: .utf8)
    try hello.signal(SIGHUP)
    #expect(try manager.next().first == "RELOADING=1")
    let taken = try manager.next()
    #expect(taken.first == "STATUS=running" && taken.last == "READY=1")

    try hello.signal(SIGTERM)
    #expect(try manager.next() == ["STOPPING=1", "STATUS=stopping"])
    #expect(hello.exitStatus() == .exited(0))
    #expect(hello.output == "open, bind, warm up\nHello: we take work\nGood morning: we take work\nGoodbye\n")
  }
}
