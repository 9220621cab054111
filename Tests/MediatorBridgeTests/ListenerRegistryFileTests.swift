import Foundation
import Mediator
import MediatorBridge
import Testing

@Suite("Files of listeners", .timeLimit(.minutes(5)))
struct ListenerRegistryFileTests {
  struct Quiet: LifecycleListener {}

  private let registry: ListenerRegistry
  private let folder = FileManager.default.temporaryDirectory.appending(path: "registry-\(UUID().uuidString)")

  init() throws {
    var registry = ListenerRegistry()
    try registry.register("quiet") { _ in Quiet() }
    self.registry = registry
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
  }

  private func file(_ bytes: Data) throws -> URL {
    let file = folder.appending(path: "my listeners.json")
    try bytes.write(to: file)
    return file
  }

  private func error(_ file: URL) -> LifecycleError? {
    do throws(LifecycleError) {
      _ = try registry.entries(contentsOf: file)
      return nil
    } catch {
      return error
    }
  }

  @Test("A file is read, and a fault names it by its path")
  func read() throws {
    defer { try? FileManager.default.removeItem(at: folder) }
    #expect(try registry.entries(contentsOf: file(Data(#"["quiet"]"#.utf8))).map(\.name) == ["quiet"])
    let path = folder.appending(path: "my listeners.json").path
    #expect(error(try file(Data("[\n\"loud\"]".utf8)))?.message == "\(path):2: entry 1: unknown id \"loud\"")
    #expect(error(try file(Data()))?.message == "\(path): the file is empty")
    #expect(error(try file(Data(repeating: 0x20, count: 1 << 21)))?.message == "\(path): larger than 1048576 bytes")
  }

  @Test("D09: a file that is missing, or is none, is named with the reason")
  func unreadable() throws {
    defer { try? FileManager.default.removeItem(at: folder) }
    let missing = folder.appending(path: "none.json")
    #expect(
      error(missing)?.description
        == "\(missing.path): No such file or directory (put the file there, or mend its path)")
    #expect(error(missing)?.errno == POSIXErrorCode.ENOENT.rawValue)
    #expect(error(folder)?.errno == POSIXErrorCode.EISDIR.rawValue)
    #expect(error(URL(filePath: "/dev/null"))?.advice == "name a regular file")
    #expect(error(try #require(URL(string: "https://example.org/l.json")))?.code == .registry)
  }
}
