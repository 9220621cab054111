/// The line that greets each connection, read from a file at the start and again by each reload.
import Foundation
import Mediator
import Synchronization

final class Greeting: ReloadListener {
  private struct Lines {
    var current = "Hello."
    /// What the newest reload replaced, for when a later listener refuses that reload.
    var replaced = "Hello."
  }

  private let file: String?
  private let lines = Mutex(Lines())

  init(file: String?) { self.file = file }

  /// What is in force now; may be asked from any thread.
  var line: String { lines.withLock(\.current) }

  /// There is no old greeting to keep at the start, so a bad file fails it.
  func didFinishLaunching(_ transition: LifecycleTransition) throws {
    let line = try read()
    lines.withLock { $0.current = line }
  }

  /// All that can go wrong goes wrong here, where nothing has changed yet.
  func prepareReload(_ transition: LifecycleTransition) throws -> String { try read() }

  func reload(_ prepared: String, _ transition: LifecycleTransition) {
    lines.withLock { $0 = Lines(current: prepared, replaced: $0.current) }
  }

  func revertReload(_ transition: LifecycleTransition) {
    lines.withLock { $0.current = $0.replaced }
  }

  private func read() throws(BadGreeting) -> String {
    guard let file else { return line }
    var bytes = try Self.bytes(of: file)
    if bytes.last == UInt8(ascii: "\n") { bytes.removeLast() }
    guard !bytes.isEmpty else { throw BadGreeting(file: file, fault: "it is empty") }
    guard bytes.count <= Self.limit else {
      throw BadGreeting(file: file, fault: "it has more than \(Self.limit) bytes")
    }
    guard let text = String(bytes: bytes, encoding: .utf8) else {
      throw BadGreeting(file: file, fault: "it is no UTF-8")
    }
    guard !text.contains(where: \.isNewline) else { throw BadGreeting(file: file, fault: "it has more than one line") }
    return text
  }

  private static func bytes(of file: String) throws(BadGreeting) -> Data {
    do {
      let handle = try FileHandle(forReadingFrom: URL(filePath: file))
      defer { try? handle.close() }
      // Room for the line end, and for one byte more than is allowed: enough to see that a file is too long.
      return try handle.read(upToCount: limit + 2) ?? Data()
    } catch {
      throw BadGreeting(file: file, fault: error.localizedDescription)
    }
  }

  private static let limit = 200
}

/// Its words end up in the log and in `systemctl status`.
struct BadGreeting: Error, CustomStringConvertible {
  var file: String
  var fault: String
  var description: String { "\(file) is no greeting: \(fault)" }
}
