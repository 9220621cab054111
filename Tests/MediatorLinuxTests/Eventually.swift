/// The one place where a test waits for something that tells nobody.
import Glibc
import MediatorLinux
import Synchronization

/// Looks again every millisecond until the condition holds; false after the time limit.
func eventually(within limit: Duration = .seconds(10), _ condition: () -> Bool) -> Bool {
  let end = ContinuousClock.now + limit
  while !condition() {
    if ContinuousClock.now > end { return false }
    usleep(1000)
  }
  return true
}

/// What callbacks leave behind for the test to look at.
final class Log<Element: Sendable>: Sendable {
  private let entries = Guarded<[Element]>([])

  func add(_ entry: Element) { entries.withLock { $0.append(entry) } }

  var all: [Element] { entries.withLock { $0 } }

  var count: Int { entries.withLock { $0.count } }

  /// Waits until there are so many entries and returns all.
  func wait(for count: Int, within limit: Duration = .seconds(10)) -> [Element] {
    _ = eventually(within: limit) { self.count >= count }
    return all
  }
}

/// Tells when it is released.
final class Canary: Sendable {
  private let onRelease: @Sendable () -> Void

  init(_ onRelease: @escaping @Sendable () -> Void) { self.onRelease = onRelease }

  deinit { onRelease() }

  func touch() {}
}

/// What a descriptor of this process is, as /proc has it; empty if it is not open.
func linkOfDescriptor(_ descriptor: Int32) -> String {
  var buffer = [CChar](repeating: 0, count: 4096)
  let count = readlink("/proc/self/fd/\(descriptor)", &buffer, buffer.count)
  return String(decoding: buffer.prefix(max(count, 0)).map { UInt8(bitPattern: $0) }, as: UTF8.self)
}

/// How many entries a folder of /proc/self has.
func entries(of folder: String) -> [String] {
  guard let stream = opendir(folder) else { return [] }
  defer { closedir(stream) }
  var names: [String] = []
  while let entry = readdir(stream) {
    let name = withUnsafePointer(to: &entry.pointee.d_name) {
      $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
    }
    if name != ".", name != ".." { names.append(name) }
  }
  return names.sorted()
}

/// A pipe whose ends are closed with it.
final class Pipe: Sendable {
  let readEnd: Int32
  let writeEnd: Int32

  init() {
    var ends: [Int32] = [0, 0]
    precondition(pipe(&ends) == 0)
    for end in ends {
      _ = fcntl(end, F_SETFD, FD_CLOEXEC)
      _ = fcntl(end, F_SETFL, O_NONBLOCK)
    }
    readEnd = ends[0]
    writeEnd = ends[1]
  }

  deinit {
    close(readEnd)
    close(writeEnd)
  }

  func write(_ text: String = "x") { _ = Glibc.write(writeEnd, text, text.utf8.count) }

  func read() -> Int {
    var buffer = [UInt8](repeating: 0, count: 4096)
    return Glibc.read(readEnd, &buffer, buffer.count)
  }
}

/// Runs the body on so many threads and waits for all of them.
func onThreads(_ count: Int, _ body: @escaping @Sendable (Int) -> Void) {
  final class Start: Sendable {
    let index: Int
    let body: @Sendable (Int) -> Void
    init(_ index: Int, _ body: @escaping @Sendable (Int) -> Void) {
      self.index = index
      self.body = body
    }
  }
  let threads = (0..<count).map { index in
    var thread = pthread_t()
    let start = Unmanaged.passRetained(Start(index, body))
    let failed = pthread_create(
      &thread, nil,
      { argument in
        let start = Unmanaged<Start>.fromOpaque(argument!).takeRetainedValue()
        start.body(start.index)
        return nil
      }, start.toOpaque())
    precondition(failed == 0)
    return thread
  }
  for thread in threads { pthread_join(thread, nil) }
}

/// The text of a small file.
func contents(of path: String) -> String {
  guard let file = fopen(path, "re") else { return "" }
  defer { fclose(file) }
  var buffer = [UInt8](repeating: 0, count: 65536)
  var text: [UInt8] = []
  while case let count = fread(&buffer, 1, buffer.count, file), count > 0 { text += buffer.prefix(count) }
  return String(decoding: text, as: UTF8.self)
}

/// One line of /proc/…/status.
func statusLine(_ key: String, of task: String) -> String {
  let lines = contents(of: "/proc/\(task)/status").split(separator: "\n")
  return lines.first { $0.hasPrefix("\(key):") }.map(String.init) ?? ""
}

/// Swift Testing has a type of this name too.
typealias ExitStatus = MediatorLinux.ExitStatus
