import Foundation
import Glibc
import Mediator
import MediatorLinux
import MediatorTestKit
import Testing

@testable import MediatorBridge

/// The bridge is there once in a process, and places come from the environment: so these run in processes of their own.
@Suite("State that outlives the process", .timeLimit(.minutes(5)))
struct StateKeeperTests {
  @Test("the manager's store keeps it under names that take turns; a crash brings back what was saved last")
  func store() async {
    await #expect(processExitsWith: .exitCode(0)) {
      setenv("FDSTORE", "4", 1)
      let manager = try FakeServiceManager(storing: 4)
      struct Dying: LifecycleListener {
        let manager: FakeServiceManager
        let left = Shared<[(name: String, descriptor: Int32)]>([])
        func willTerminate(_ transition: LifecycleTransition) async throws {
          await eventually {
            let copies = manager.copyStored()
            let isKept = copies.contains { copy in
              let archive = try? StateArchive(SealedMemory.read(copy.descriptor, limit: StateArchive.mostBytes))
              return archive?.states.first?.data == Data("4".utf8)
            }
            if isKept { left.withLock { $0 = copies } } else { for copy in copies { close(copy.descriptor) } }
            return isKept
          }
        }
      }
      let dying = Dying(manager: manager)
      let first = try await StateLife.begin(manager, beside: [ListenerEntry(dying)])
      must(first.start.cause == .unknown && first.value == 0)
      var names: Set<[String]> = []
      for value in 1...3 {
        first.set(value)
        must(try await first.lifecycle.saveState().count == 1)
        await eventually { manager.storedNames.count == 1 }
        names.insert(manager.storedNames)
      }
      must(names == [["lifecycle-state-0"], ["lifecycle-state-1"]], "\(names)")
      // What a kill -9 leaves.
      let left = manager.copyStored()
      first.set(4)
      must(await first.stop() == [])
      // A run that is killed in its last call has left the state of its stop, but has not ended.
      let killed = try await StateLife.begin(nil, passed: dying.left.withLock(\.self))
      must(killed.start.cause == .crashRecovery && killed.value == 4, "\(killed.start)")
      must(await killed.stop() == [])
      let crashed = try await StateLife.begin(nil, passed: left)
      must(crashed.start.cause == .crashRecovery && crashed.value == 3, "\(crashed.start)")
      must(await crashed.stop() == [])

      let second = try await StateLife.begin(manager)
      must(second.start.cause == .restart && second.value == 4 && second.start.sockets.isEmpty)
      must(await second.stop() == [])
      await eventually { manager.storedNames.count == 1 }
      must(manager.storedNames.count == 1, "\(manager.storedNames)")
      exit(0)
    }
  }

  @Test("the state folder has it in a file of the owner alone, whatever becomes of the manager; the newer one counts")
  func file() async {
    await #expect(processExitsWith: .exitCode(0)) {
      let folder = NSTemporaryDirectory() + "/state-\(getpid())"
      must(mkdir(folder, 0o700) == 0)
      setenv("STATE_DIRECTORY", "\(folder):/nowhere", 1)
      umask(0)
      let first = try await StateLife.begin(nil)
      must(first.start.cause == .firstStart)
      first.set(1)
      try await first.lifecycle.saveState()
      let names = StateLife.files(folder)
      must(names.count == 1, "\(names)")
      var status = stat()
      must(stat("\(folder)/\(names[0])", &status) == 0 && status.st_mode & 0o777 == 0o600)
      first.set(2)
      must(await first.stop() == [])

      // The store is newer than the file, then older.
      setenv("FDSTORE", "4", 1)
      let manager = try FakeServiceManager(storing: 4)
      let second = try await StateLife.begin(manager)
      must(second.start.cause == .restart && second.value == 2)
      second.set(3)
      try await second.lifecycle.saveState()
      let (old, oldFile) = (manager.copyStored(), try Data(contentsOf: URL(filePath: "\(folder)/\(names[0])")))
      second.set(4)
      must(await second.stop() == [])
      let newFile = try Data(contentsOf: URL(filePath: "\(folder)/\(names[0])"))
      for (passed, file, value) in [(old, newFile, 4), (manager.copyStored(), oldFile, 4)] {
        try file.write(to: URL(filePath: "\(folder)/\(names[0])"))
        chmod("\(folder)/\(names[0])", 0o600)
        let next = try await StateLife.begin(nil, passed: passed)
        must(next.value == value, "\(next.value)")
        must(await next.stop() == [])
      }
      try FileManager.default.removeItem(atPath: folder)
      exit(0)
    }
  }

  @Test("what is no whole state of ours is ignored with one line, goes from the store, and the start goes on")
  func garbage() async {
    await #expect(processExitsWith: .exitCode(0)) {
      let folder = NSTemporaryDirectory() + "/state-\(getpid())"
      must(mkdir(folder, 0o700) == 0)
      setenv("STATE_DIRECTORY", folder, 1)
      must(await (try StateLife.begin(nil)).stop() == [])
      let path = "\(folder)/\(StateLife.files(folder)[0])"
      let good = try Data(contentsOf: URL(filePath: path))
      func expect(_ lines: [String], _ prepare: () throws -> Void) async throws {
        unlink(path)
        try prepare()
        let life = try await StateLife.begin(nil)
        must(life.value == 0 && life.start.cause == .unknown, "\(life.start)")
        let said = await life.stop()
        must(said == lines, "\(said), not \(lines)")
        // The next one finds what this one has left.
        must((try StateArchive(Array(Data(contentsOf: URL(filePath: path))))).hasEnded)
      }
      try await expect(["\(path): it is truncated; it is now \(path).bad"]) {
        try good.dropLast().write(to: URL(filePath: path))
      }
      try await expect(["\(path): it is no saved state; it is now \(path).bad"]) {
        try Data("x".utf8).write(to: URL(filePath: path))
      }
      try await expect(["\(path): open: Operation not permitted; it is now \(path).bad"]) {
        try good.write(to: URL(filePath: path))
        chmod(path, 0o666)
      }
      try await expect(["\(path): open: Too many levels of symbolic links; it is now \(path).bad"]) {
        try good.write(to: URL(filePath: "\(folder)/other"))
        symlink("other", path)
      }
      must(try Data(contentsOf: URL(filePath: "\(folder)/other")) == good)
      unsetenv("STATE_DIRECTORY")

      setenv("FDSTORE", "4", 1)
      let manager = try FakeServiceManager(storing: 4)
      var ends: [Int32] = [0, 0]
      pipe(&ends)
      let garbage = try SealedMemory.make("x", Array("garbage".utf8))
      let life = try await StateLife.begin(
        manager, passed: [("lifecycle-state-0", garbage), ("lifecycle-state-1", ends[0])])
      try await life.lifecycle.saveState()
      let said = await life.stop()
      must(
        said == [
          "lifecycle-state-0: it is no saved state", "lifecycle-state-1: sealed memory: Invalid argument",
        ], "\(said)")
      must(HeldDescriptors([ends[1]]).haveHungUp, "the stale descriptor is still open")
      let removed = manager.messages.filter { $0.says("FDSTOREREMOVE=1") }.compactMap { $0.value(of: "FDNAME") }
      must(Set(removed) == ["lifecycle-state-0", "lifecycle-state-1"], "\(removed)")
      try FileManager.default.removeItem(atPath: folder)
      exit(0)
    }
  }

  @Test("a manager that does not answer holds up no stop, and what cannot be saved is said once each time")
  func trouble() async {
    await #expect(processExitsWith: .exitCode(0)) {
      setenv("FDSTORE", "4", 1)
      let manager = try FakeServiceManager(storing: 4)
      let life = try await StateLife.begin(manager)
      try await life.lifecycle.saveState()
      manager.pauseReading()
      life.set(1)
      let began = ContinuousClock.now
      let late = await life.stop()
      must(!late.isEmpty && late.allSatisfy { $0.hasPrefix("the manager's store: ") }, "\(late)")
      let took = began.duration(to: .now)
      must(took < .seconds(15), "\(took)")

      unsetenv("FDSTORE")
      setenv("STATE_DIRECTORY", "/nowhere/at/all", 1)
      let other = try await StateLife.begin(nil)
      do {
        try await other.lifecycle.saveState()
        must(false, "it was saved nowhere")
      } catch let error as LifecycleError {
        must(error.code == .stateNotSaved, "\(error)")
      }
      let said = await other.stop()
      must(said.count == 5 && said.allSatisfy { $0.hasSuffix("open: No such file or directory") }, "\(said)")

      // Nowhere to keep it is no error, and nothing is said.
      unsetenv("STATE_DIRECTORY")
      let alone = try await StateLife.begin(nil)
      alone.set(5)
      must(try await alone.lifecycle.saveState().count == 1)
      must(await alone.stop() == [])
      exit(0)
    }
  }

  @Test("a full store never costs the state that it has: sockets leave it room, and what does not fit is said")
  func full() async {
    await #expect(processExitsWith: .exitCode(0)) {
      setenv("FDSTORE", "2", 1)
      let manager = try FakeServiceManager(storing: 2)
      let first = try await StateLife.begin(manager)
      let socket = KeptSocketTests.listener()
      must(try first.lifecycle.context.keepSocket(socket, as: "web") == false)
      for value in 1...3 {
        first.set(value)
        try await first.lifecycle.saveState()
      }
      await eventually { manager.storedNames.count == 1 }
      must(manager.storedNames.count == 1, "\(manager.storedNames)")
      must(await first.stop() == [])

      // Where a socket has a place all the same, as an earlier program has left it, the old state stays.
      let other = try FakeServiceManager(storing: 2)
      let kept = fcntl(socket, F_DUPFD_CLOEXEC, 3)
      struct Takes: LifecycleListener {
        func didFinishLaunching(_ transition: LifecycleTransition) async throws {
          _ = try transition.context.takeSocket("web", as: .streamListener)
        }
      }
      let second = try await StateLife.begin(
        other, passed: [("lifecycle-socket-web", kept)], beside: [ListenerEntry(Takes())])
      await eventually { other.storedNames == ["lifecycle-state-0"] }
      second.set(7)
      do {
        try await second.lifecycle.saveState()
        must(false, "the manager would have closed it")
      } catch let error as LifecycleError {
        must(error.code == .stateNotSaved && error.message.contains("No space left"), "\(error)")
      }
      must(other.storedNames == ["lifecycle-state-0"], "\(other.storedNames)")
      must(other.messages.count { $0.says("FDSTOREREMOVE=1") } == 0)
      second.lifecycle.context.forgetSocket("web")
      try await second.lifecycle.saveState()
      await eventually { other.storedNames == ["lifecycle-state-1"] }
      must(other.storedNames == ["lifecycle-state-1"], "\(other.storedNames)")
      must(await second.stop().count == 1)
      exit(0)
    }
  }

  @Test("where the file has become the only place, what lies in the store is removed, once the file has it")
  func moved() async {
    await #expect(processExitsWith: .exitCode(0)) {
      let manager = try FakeServiceManager(storing: 4)
      let first = try await StateLife.begin(manager)
      first.set(5)
      must(await first.stop() == [])
      await eventually { manager.storedNames.count == 1 }
      must(manager.storedNames.count == 1, "\(manager.storedNames)")
      let folder = NSTemporaryDirectory() + "/state-\(getpid())"
      must(mkdir(folder, 0o700) == 0)
      setenv("STATE_DIRECTORY", folder, 1)
      let second = try await StateLife.begin(manager)
      must(second.value == 5)
      await eventually { manager.storedNames == [] }
      must(manager.storedNames == [], "\(manager.storedNames)")
      must(await second.stop() == [])
      // An operator starts afresh.
      try FileManager.default.removeItem(atPath: "\(folder)/\(StateLife.files(folder)[0])")
      let third = try await StateLife.begin(manager)
      must(third.value == 0)
      must(await third.stop() == [])
      try FileManager.default.removeItem(atPath: folder)
      exit(0)
    }
  }

  @Test("a file that another process of the program uses is left to it, with one line")
  func shared() async {
    await #expect(processExitsWith: .exitCode(0)) {
      let folder = NSTemporaryDirectory() + "/state-\(getpid())"
      must(mkdir(folder, 0o700) == 0)
      setenv("STATE_DIRECTORY", folder, 1)
      let first = try await StateLife.begin(nil)
      first.set(1)
      must(await first.stop() == [])
      let file = KeptFile(folder: folder, name: StateLife.files(folder)[0])
      let bytes = try file.read(limit: StateArchive.mostBytes)
      var lock: HeldDescriptors?
      // The bridge before has gone, but for its memory.
      await eventually {
        lock = try? file.lock()
        return lock != nil
      }
      let second = try await StateLife.begin(nil)
      must(second.value == 0 && second.start.cause == .unknown, "\(second.start)")
      second.set(2)
      try await second.lifecycle.saveState()
      let said = await second.stop()
      must(said.count == 1 && said[0].contains("another process uses it"), "\(said)")
      must(try file.read(limit: StateArchive.mostBytes) == bytes)
      must(lock != nil)
      lock = nil
      let third = try await StateLife.begin(nil)
      must(third.value == 1)
      must(await third.stop() == [])
      try FileManager.default.removeItem(atPath: folder)
      exit(0)
    }
  }

  @Test("the manager is sent it before the disk is waited for, and is waited for after it")
  func order() async {
    await #expect(processExitsWith: .exitCode(0)) {
      let folder = NSTemporaryDirectory() + "/state-\(getpid())"
      must(mkdir(folder, 0o700) == 0)
      setenv("STATE_DIRECTORY", folder, 1)
      setenv("FDSTORE", "4", 1)
      let manager = try FakeServiceManager(storing: 4)
      let seen = Shared<[String]>([])
      let wire = ManagerVoice.Wire { text, _ throws(LinuxError) in
        let bytes = StateLife.files(folder).first.flatMap { try? Data(contentsOf: URL(filePath: "\(folder)/\($0)")) }
        let number = bytes.flatMap { try? StateArchive(Array($0)) }?.sequence ?? 0
        seen.withLock { $0.append("\(text.split(separator: "\n")[0]), file \(number)") }
      }
      let life = try await StateLife.begin(manager, wire: wire)
      try await life.lifecycle.saveState()
      must(await life.stop() == [])
      let lines = seen.withLock(\.self).filter { $0.hasPrefix("FDSTORE=1") || $0.hasPrefix("BARRIER=1") }
      let wanted = (1...4).flatMap { ["FDSTORE=1, file \($0 - 1)", "BARRIER=1, file \($0)"] }
      must(lines == wanted, "\(lines)")
      try FileManager.default.removeItem(atPath: folder)
      exit(0)
    }
  }

  @Test("where state is kept, by what the environment says")
  func places() {
    func places(_ variables: [String: String]) -> (file: String?, usesStore: Bool) {
      let environment = ManagerEnvironment(variables, processID: 1, standardInputIsTerminal: false)
      let places = Inheritance.Places(environment)
      return (places.file?.folder, places.usesStore)
    }
    let manager = ["NOTIFY_SOCKET": "@x"]
    #expect(places([:]) == (nil, false))
    #expect(places(["FDSTORE": "4"]) == (nil, false), "nobody to be told")
    #expect(places(manager) == (nil, true), "systemd 253 and older do not say")
    #expect(places(manager.merging(["FDSTORE": "1"]) { $1 }) == (nil, false), "the new one would push out the old")
    #expect(places(manager.merging(["FDSTORE": "2"]) { $1 }) == (nil, true))
    #expect(places(manager.merging(["STATE_DIRECTORY": "/a:/b"]) { $1 }) == ("/a", false))
    #expect(places(manager.merging(["STATE_DIRECTORY": "/a", "FDSTORE": "9"]) { $1 }) == ("/a", true))
  }
}
