import Glibc
import Mediator
import MediatorBridge
import Testing

@Suite("Sockets of the service manager", .timeLimit(.minutes(5)))
final class SocketsTests {
  private var open: [Int32] = []

  deinit { for descriptor in open { close(descriptor) } }

  private func socket(_ type: __socket_type, listening: Bool = false) -> Int32 {
    let descriptor = Glibc.socket(AF_UNIX, Int32(type.rawValue | SOCK_CLOEXEC.rawValue), 0)
    open.append(descriptor)
    // Without a name the kernel gives it an abstract one.
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    let size = socklen_t(MemoryLayout<sa_family_t>.size)
    if listening {
      let isBound = withUnsafePointer(to: &address) {
        $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { bind(descriptor, $0, size) == 0 }
      }
      precondition(isBound && listen(descriptor, 1) == 0)
    }
    return descriptor
  }

  private func fifo() -> Int32 {
    var ends: [Int32] = [0, 0]
    precondition(pipe(&ends) == 0)
    open += ends
    return ends[0]
  }

  private func context(_ sockets: [String: [Int32]]) -> LifecycleContext {
    LifecycleContext(start: StartInformation(sockets: sockets))
  }

  private func message(_ body: () throws(LifecycleError) -> Void) -> String? {
    do {
      try body()
    } catch {
      return error.code == .socket ? error.description : "another error: \(error)"
    }
    return nil
  }

  @Test("each kind of socket is taken as what it is, and refused as everything else")
  func kinds() throws {
    let sockets: [(SocketKind, Int32)] = [
      (.streamListener, socket(SOCK_STREAM, listening: true)), (.streamConnection, socket(SOCK_STREAM)),
      (.datagram, socket(SOCK_DGRAM)), (.sequentialPacketListener, socket(SOCK_SEQPACKET, listening: true)),
      (.fifo, fifo()),
    ]
    #expect(sockets.map(\.0) == SocketKind.allCases)
    for (kind, descriptor) in sockets {
      for asked in SocketKind.allCases {
        let context = context(["x": [descriptor]])
        if asked == kind {
          #expect(try context.takeSocket("x", as: asked) == descriptor)
        } else {
          #expect(throws: LifecycleError.self, "\(kind) as \(asked)") { try context.takeSocket("x", as: asked) }
        }
      }
    }
  }

  @Test("what is missing, wrong, twice there or taken already is an error that says what there is")
  func errors() throws {
    let (one, two) = (socket(SOCK_STREAM, listening: true), socket(SOCK_DGRAM))
    let context = context(["web": [one], "log": [two], "both": [one, two]])
    #expect(
      message { () throws(LifecycleError) in _ = try context.takeSocket("mail", as: .datagram) }
        == "there is no socket named mail, but both, log, web (write FileDescriptorName=mail into the socket unit)")
    #expect(
      message { () throws(LifecycleError) in _ = try self.context([:]).takeSocket("mail", as: .datagram) }
        == "there is no socket named mail: the service manager passed none at all "
        + "(start the service with its socket unit)")
    #expect(
      message { () throws(LifecycleError) in _ = try context.takeSocket("log", as: .streamListener) }
        == "the socket log, descriptor \(two), is not a listening stream socket "
        + "(write ListenStream= into the socket unit)")
    #expect(
      message { () throws(LifecycleError) in _ = try context.takeSocket("both", as: .datagram) }
        == "there are 2 sockets named both (take all of them: takeSockets)")
    // What was refused was not taken.
    #expect(try context.takeSocket("web", as: .streamListener) == one)
    #expect(
      message { () throws(LifecycleError) in _ = try context.takeSocket("web", as: .streamListener) }
        == "the socket web was taken before (keep what takeSocket returned)")
  }

  @Test("all sockets of a name come in their order")
  func several() throws {
    let all = (0..<3).map { _ in socket(SOCK_STREAM, listening: true) }
    #expect(try context(["web": all]).takeSockets("web", as: .streamListener) == all)
  }
}
