#if os(Linux)
  internal import Foundation
  internal import Glibc
  public import Mediator
  internal import MediatorLinux

  /// Stands in for the service manager in a test: receives what a process says through `sd_notify(3)`, and keeps it.
  public final class FakeServiceManager: Sendable {
    /// One datagram, as it came.
    public struct Message: Hashable, Sendable, CustomStringConvertible {
      /// All of it, also what is no UTF-8.
      public var bytes: [UInt8]
      /// As the kernel gives it; 0 if it gave none.
      public var senderPID: Int32
      /// How many descriptors came with it; they are closed, unless the manager stores them.
      public var descriptorCount = 0

      /// The bytes as text; what is no UTF-8 is replaced.
      public var text: String { String(decoding: bytes, as: UTF8.self) }
      /// The assignments, such as `READY=1`, without empty lines.
      public var lines: [String] { text.split(separator: "\n").map(String.init) }
      public var description: String { text }

      /// The value of a line such as `STATUS=…`; nil without such a line.
      public func value(of key: String) -> String? {
        lines.first { $0.hasPrefix(key + "=") }.map { String($0.dropFirst(key.count + 1)) }
      }

      /// Whether one of the lines is exactly this one, such as `READY=1`.
      public func says(_ line: String) -> Bool { lines.contains(line) }
    }

    /// Where the socket lies.
    public enum Place: Hashable, Sendable {
      /// In a fresh folder of the temporary directory, removed with the manager.
      case folder
      /// Under a random name of the abstract namespace (`unix(7)`).
      case abstract
    }

    private struct Reader: Sendable {
      var number: UInt64
      var resume: @Sendable (Message?) -> Void
    }

    private struct State {
      var receiver: NotifyReceiver?
      var source: EventSource?
      var messages: [Message] = []
      var taken = 0
      var readers: [Reader] = []
      var nextReader: UInt64 = 0
      var stored: [(name: String, held: HeldDescriptors)] = []
    }

    /// What belongs into `$NOTIFY_SOCKET`.
    public let address: String
    private let folder: String?
    private let loop: EventLoop
    private let storeLimit: Int
    private let state = Shared(State())

    /// Opens the socket, and receives from here on.
    ///
    /// - Parameters:
    ///   - place: where the socket lies.
    ///   - storeLimit: how many descriptors it stores, as `FileDescriptorStoreMax=` of a unit.
    /// - Throws: `.system` when it cannot be made.
    public init(at place: Place = .folder, storing storeLimit: Int = 0) throws(LifecycleError) {
      self.storeLimit = storeLimit
      let name = "lifecycle-\(UInt64.random(in: 0 ... .max))"
      folder = place == .folder ? "\(NSTemporaryDirectory())/\(name)" : nil
      address = folder.map { "\($0)/notify" } ?? "@\(name)"
      if let folder, unsafe mkdir(folder, 0o755) < 0 {
        throw LifecycleError(.system, message: "cannot make \(folder): \(LinuxError.text(errno))", errno: errno)
      }
      do throws(LinuxError) {
        loop = try EventLoop(name: "fake-manager")
        let receiver = try NotifyReceiver(address: address)
        state.withLock { $0.receiver = receiver }
      } catch {
        throw LifecycleError(.system, message: error.description, errno: error.code)
      }
      resumeReading()
    }

    deinit {
      loop.shutdown()
      state.withLock { $0.receiver = nil }
      if let folder { _ = unsafe rmdir(folder) }
    }

    /// Everything received so far, oldest first.
    public var messages: [Message] { state.withLock({ $0.messages }) }

    /// The names of the descriptors that it stores (`FDSTORE=1` of sd_notify(3)), oldest first.
    public var storedNames: [String] {
      state.withLock { $0.stored.flatMap { Array(repeating: $0.name, count: $0.held.numbers.count) } }
    }

    /// Copies of the descriptors that it stores, newest first, as systemd passes them to the next run; they are the
    /// caller's.
    public func copyStored() -> [(name: String, descriptor: Int32)] {
      let stored = state.withLock({ $0.stored })
      return stored.reversed().flatMap { entry in
        entry.held.numbers.reversed().map { (entry.name, fcntl($0, F_DUPFD_CLOEXEC, 3)) }
      }
    }

    /// The oldest message that was not asked for yet; nil if none comes in time.
    public func next(timeout: Duration = .seconds(10)) async -> Message? {
      await withCheckedContinuation { continuation in
        let number = state.withLock { state in
          state.nextReader += 1
          state.readers.append(Reader(number: state.nextReader, resume: { continuation.resume(returning: $0) }))
          return state.nextReader
        }
        serve()
        loop.timer(after: timeout) { [state] in
          let late = state.withLock { state in
            defer { state.readers.removeAll { $0.number == number } }
            return state.readers.first { $0.number == number }
          }
          late?.resume(nil)
        }
      }
    }

    /// The next message that has this line, skipping others; nil if none comes in time.
    public func next(saying line: String, timeout: Duration = .seconds(10)) async -> Message? {
      let deadline = ContinuousClock.now + timeout
      while let message = await next(timeout: ContinuousClock.now.duration(to: deadline)) {
        if message.says(line) { return message }
      }
      return nil
    }

    /// Leaves what comes from now on in the socket, as a manager does that hangs.
    public func pauseReading() {
      let source = state.withLock { state in
        defer { state.source = nil }
        return state.source
      }
      source?.cancel()
    }

    /// Reads again what lies in the socket, and what comes from now on.
    public func resumeReading() {
      guard let descriptor = state.withLock({ $0.source == nil ? $0.receiver?.descriptor : nil }) else { return }
      let source = try? loop.watch(descriptor: descriptor) { [weak self] in self?.read() }
      state.withLock { $0.source = source }
    }

    /// Closes the socket and removes its path, as a manager does that ends.
    public func vanish() {
      pauseReading()
      // Behind the removal of the source, which has to see the descriptor open.
      loop.submit { [weak self] in self?.state.withLock { $0.receiver = nil } }
    }

    private func read() {
      guard let receiver = state.withLock({ $0.receiver }), let datagrams = try? receiver.receive() else { return }
      for datagram in datagrams { store(datagram) }
      let messages = datagrams.map {
        Message(bytes: $0.bytes, senderPID: $0.pid, descriptorCount: $0.descriptors.count)
      }
      state.withLock { $0.messages += messages }
      serve()
    }

    /// Does what systemd does with descriptors: what is not stored is closed.
    private func store(_ datagram: NotifyReceiver.Datagram) {
      let message = Message(bytes: datagram.bytes, senderPID: datagram.pid)
      let name = message.value(of: "FDNAME") ?? "stored"
      let held = datagram.held()
      let removed: [(name: String, held: HeldDescriptors)] = state.withLock { state in
        if message.says("FDSTOREREMOVE=1") {
          defer { state.stored.removeAll { $0.name == name } }
          return state.stored.filter { $0.name == name }
        }
        let count = state.stored.reduce(held.numbers.count) { $0 + $1.held.numbers.count }
        if message.says("FDSTORE=1"), !held.numbers.isEmpty, count <= storeLimit { state.stored.append((name, held)) }
        return []
      }
      withExtendedLifetime(removed) {}
    }

    /// Gives each reader that waits the next message, as long as there are both.
    private func serve() {
      while true {
        let pair: (Reader, Message)? = state.withLock { state in
          guard state.taken < state.messages.count, !state.readers.isEmpty else { return nil }
          defer { state.taken += 1 }
          return (state.readers.removeFirst(), state.messages[state.taken])
        }
        guard let (reader, message) = pair else { return }
        reader.resume(message)
      }
    }
  }
#endif
