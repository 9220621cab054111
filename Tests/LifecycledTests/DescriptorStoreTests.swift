import Glibc
import Mediator
import MediatorLinux
import Testing

@testable import lifecycled

/// With real pipes: what is closed ends the other side.
@Suite("The descriptor store", .timeLimit(.minutes(5)))
struct DescriptorStoreTests {
  private let told = Shared<[String]>([])

  private func store(isAlone: Bool = false, withManager: Bool = true) -> DescriptorStore {
    let store = DescriptorStore(isAlone: isAlone)
    for title in ["10-a", "20-b"] { store.expect(title) }
    if withManager {
      store.attach { [told] lines, held in
        told.withLock { $0.append((lines + ["\(held?.numbers.count ?? 0)"]).joined(separator: " ")) }
      }
    }
    return store
  }

  private func pipe() -> (read: Int32, held: HeldDescriptors) {
    var ends: [Int32] = [-1, -1]
    Glibc.pipe(&ends)
    return (ends[0], HeldDescriptors([ends[1]]))
  }

  /// Whether nobody has the other end open any more.
  private func isAlone(_ descriptor: Int32) -> Bool {
    var wanted = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
    return poll(&wanted, 1, 0) > 0 && wanted.revents & Int16(POLLHUP) != 0
  }

  private func take(_ text: String, _ held: HeldDescriptors, _ title: String, _ store: DescriptorStore) -> String? {
    NotifyMessage(Array(text.utf8), isTruncated: false).flatMap { store.take($0, held, of: title) }
  }

  @Test("What is stored is told under the program's name, given to its next start, and closed when it is removed")
  func stores() {
    let (store, end) = (store(), pipe())
    do {
      let held = end.held
      let refusals = [
        take("FDSTORE=1\nFDNAME=conn", held, "10-a", store), take("FDSTORE=1\nFDNAME=conn", held, "10-a", store),
        take("FDSTORE=1\nFDPOLL=0", held, "20-b", store), take("FDSTORE=1", HeldDescriptors([]), "20-b", store),
      ]
      #expect(refusals == [nil, nil, nil, nil])
    }
    #expect(
      told.withLock(\.self) == [
        "FDSTORE=1 FDNAME=10-a-conn 1", "FDSTORE=1 FDNAME=10-a-conn 1", "FDSTORE=1 FDNAME=20-b FDPOLL=0 1",
      ])
    #expect(store.descriptors(for: "10-a", besides: []).map(\.name) == ["conn"], "not twice")
    #expect(store.descriptors(for: "20-b", besides: []).map(\.name) == ["stored"])
    told.withLock { $0 = [] }
    let none = HeldDescriptors([])
    #expect(take("FDSTOREREMOVE=1", none, "10-a", store)?.contains("valid FDNAME=") == true)
    #expect(take("FDSTOREREMOVE=1\nFDNAME=conn", none, "10-a", store) == nil)
    #expect(take("FDSTOREREMOVE=1\nFDNAME=stored\nFDSTORE=1", none, "20-b", store) == nil)
    #expect(told.withLock(\.self) == ["FDSTOREREMOVE=1 FDNAME=10-a-conn 0", "FDSTOREREMOVE=1 FDNAME=20-b 0"])
    #expect(store.descriptors(for: "10-a", besides: []).isEmpty)
    close(end.read)
  }

  @Test("Without a manager, without FDSTORE=1, or under another program's name nothing is kept open")
  func closes() {
    for (text, title, withManager) in [
      ("FDSTORE=1", "10-a", false), ("STATUS=x", "10-a", true), ("FDSTORE=1\nFDNAME=a", "10", true),
    ] {
      let store = store(withManager: withManager)
      store.expect("10")
      var end: (read: Int32, held: HeldDescriptors)? = pipe()
      let read = end!.read
      let refusal = take(text, end!.held, title, store)
      #expect((refusal != nil) == (title == "10"))
      end = nil
      #expect(isAlone(read), "\(text)")
      close(read)
    }
    #expect(told.withLock(\.self).isEmpty)
  }

  @Test("One whose other side is gone is dropped, but with FDPOLL=0")
  func hangsUp() {
    let store = store()
    let (watched, kept) = (pipe(), pipe())
    _ = take("FDSTORE=1\nFDNAME=w", watched.held, "10-a", store)
    _ = take("FDSTORE=1\nFDNAME=k\nFDPOLL=0", kept.held, "10-a", store)
    #expect(store.descriptors(for: "10-a", besides: []).map(\.name) == ["w", "k"])
    close(watched.read)
    close(kept.read)
    #expect(store.descriptors(for: "10-a", besides: []).map(\.name) == ["k"])
  }

  @Test("There is a limit for each program")
  func limit() {
    let store = store()
    var reads: [Int32] = []
    for number in 0..<DescriptorStore.limit {
      let end = pipe()
      reads.append(end.read)
      let refusal = take("FDSTORE=1\nFDNAME=\(number)", end.held, "10-a", store)
      #expect(refusal == nil)
    }
    let last = pipe()
    #expect(take("FDSTORE=1\nFDNAME=last", last.held, "10-a", store)?.contains("256 descriptors") == true)
    let other = take("FDSTORE=1\nFDNAME=last", last.held, "20-b", store)
    #expect(other == nil)
    for read in reads + [last.read] { close(read) }
  }

  @Test("What the manager gives back goes to whose it is, under its own name; alone a program gets all")
  func inherits() {
    func ends(_ names: [String]) -> [(name: String, descriptor: Int32)] {
      names.map { ($0, open("/dev/null", O_RDONLY)) }
    }
    let names = ["10-a-conn", "http", "20-b", "10-a"]
    let several = store()
    several.inherit(ends(names))
    #expect(several.descriptors(for: "10-a", besides: ["10-a"]).map(\.name) == ["conn"], "its Sockets= go before")
    #expect(several.descriptors(for: "10-a", besides: []).map(\.name) == ["conn", "stored"], "at each start")
    #expect(several.descriptors(for: "20-b", besides: []).map(\.name) == ["stored"])
    let alone = store(isAlone: true)
    alone.inherit(ends(names))
    #expect(alone.descriptors(for: "10-a", besides: []).map(\.name) == names)
    let end = pipe()
    _ = take("FDSTORE=1\nFDNAME=x:y", end.held, "10-a", alone)
    #expect(told.withLock(\.self) == ["FDSTORE=1 FDNAME=stored 1"])
    close(end.read)
  }
}
