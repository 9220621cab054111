internal import Foundation
internal import Glibc
internal import Mediator
internal import MediatorLinux

/// What the process was started with, and what an earlier run has left: looked at once, before anything else.
struct Inheritance: Sendable {
  /// Where state is kept.
  struct Places: Sendable {
    var file: KeptFile?
    /// Whether the manager's store is to be tried.
    var usesStore = false

    init() {}

    var count: Int { (file == nil ? 0 : 1) + (usesStore ? 1 : 0) }

    /// The manager says since systemd 254 how many descriptors it keeps. Where it does not say, the store is tried if
    /// there is no other place: to a service without a store each try costs a line in the journal.
    init(_ environment: ManagerEnvironment) {
      // Programs that share a folder have a file each.
      file = environment.stateDirectory.map { KeptFile(folder: $0, name: "\(ProgramName.file).lifecycle-state") }
      let limit = environment.storedDescriptorsLimit
      usesStore = environment.notifySocket != nil && (limit.map { $0 >= StateStore.places } ?? (file == nil))
    }
  }

  var start: StartInformation
  var places = Places()
  /// Held as long as the file is this process's own.
  var lock: HeldDescriptors?
  /// The newest whole state of an earlier run.
  var newest: StateArchive?
  /// Of this start of the machine, and of this program.
  var boot = ""
  var program = ""
  /// Names under which state lies in the manager's store, the newest last.
  var storedStates: [StoreName] = []
  /// How many places of the store each kept socket has: more than one only when a run ended in the middle.
  var socketPlaces: [String: Int] = [:]
  /// How many places of the store somebody else has, as far as it can be told: what was stored without a name is called
  /// so by the manager.
  var otherPlaces = 0
  /// What is to be said of what was found.
  var reports: [LifecycleReport] = []

  /// - Parameters:
  ///   - passed: descriptors with their names, as the manager passed them.
  ///   - keeps: whether what an earlier run has left is this process's own. It is not where programs under this one
  ///     have it.
  init(_ environment: ManagerEnvironment, _ passed: [(name: String, descriptor: Int32)], keeps: Bool) {
    start = StartInformation(
      arguments: CommandLine.arguments, credentialsDirectory: environment.credentialsDirectory,
      invocationID: environment.invocationID)
    var archives: [(name: StoreName, archive: StateArchive)] = []
    for (name, descriptor) in passed {
      switch keeps ? StoreName(name) : nil {
      case nil:
        if name == "stored" { otherPlaces += 1 }
        start.sockets[name, default: []].append(descriptor)
      case .socket(let socket):
        socketPlaces[socket, default: 0] += 1
        // The newest comes first.
        if start.keptSockets[socket] == nil, Self.canBeKept(descriptor, as: socket) {
          start.keptSockets[socket] = descriptor
        } else {
          _ = HeldDescriptors([descriptor])
        }
      case .state(let isOdd)?:
        let name = StoreName.state(isOdd: isOdd)
        storedStates.append(name)
        if let archive = stored(name, HeldDescriptors([descriptor])) { archives.append((name, archive)) }
      }
    }
    guard keeps else { return }
    archives.sort { $0.archive.sequence < $1.archive.sequence }
    storedStates.removeAll { name in archives.last?.name == name }
    if let last = archives.last { storedStates.append(last.name) }
    newest = archives.last?.archive
    lookAround(environment)
  }

  private mutating func lookAround(_ environment: ManagerEnvironment) {
    boot = Self.bootIdentifier()
    program = Self.programMark()
    places = Places(environment)
    lockFile()
    if let file = places.file, let archive = filed(file), archive.sequence > newest?.sequence ?? 0 { newest = archive }
    start.cause = StateArchive.cause(
      of: newest, boot: boot, program: program, isRemembered: places.file != nil && reports.isEmpty)
  }

  /// A file that another process of this program uses is left to it.
  private mutating func lockFile() {
    guard let file = places.file else { return }
    do throws(LinuxError) {
      lock = try file.lock()
    } catch {
      // What else is wrong shows when it is read and written.
      guard error.code == EWOULDBLOCK else { return }
      places.file = nil
      reports.append(
        .stateNotSaved(
          place: file.path, message: "another process uses it; give each its folder, as with StateDirectory=NAME/%i"))
    }
  }

  /// What cannot be ours, or listens no more, would make each start fail.
  private static func canBeKept(_ descriptor: Int32, as name: String) -> Bool {
    StoreName.fault(inSocketName: name) == nil
      && (SocketKind.streamListener.matches(descriptor) || SocketKind.sequentialPacketListener.matches(descriptor))
  }

  // MARK: Reading

  private mutating func stored(_ name: StoreName, _ held: HeldDescriptors) -> StateArchive? {
    do {
      return try StateArchive(try SealedMemory.read(held.numbers[0], limit: StateArchive.mostBytes))
    } catch {
      reports.append(.stateUnreadable(place: name.text, reason: "\(error)"))
      return nil
    }
  }

  private mutating func filed(_ file: KeptFile) -> StateArchive? {
    do {
      return try file.read(limit: StateArchive.mostBytes).map { bytes in try StateArchive(bytes) }
    } catch {
      // The next save would put another in its place.
      let isAside = (try? file.setAside()) != nil
      reports.append(
        .stateUnreadable(place: file.path, reason: "\(error)" + (isAside ? "; it is now \(file.asidePath)" : "")))
      return nil
    }
  }

  // MARK: Who runs

  private static func bootIdentifier() -> String {
    let bytes = try? SmallFile.read("/proc/sys/kernel/random/boot_id", limit: 256)
    return String(decoding: bytes ?? [], as: UTF8.self).filter { !$0.isNewline }
  }

  /// Tells one build of the program from another.
  private static func programMark() -> String {
    guard let mark = try? FileMark("/proc/self/exe") else { return "" }
    return "\(mark.size)-\(mark.time)"
  }
}
