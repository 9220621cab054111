import Foundation
import Glibc
import Testing

@testable import lifecycled

/// Real files, links, pipes and owners in a folder of its own.
@Suite("Configuration on the real file system", .timeLimit(.minutes(5)))
final class SystemConfigurationSourceTests {
  private let folder: String
  private let hook = Array("[Hook]\nOn=start\nExec=/bin/true\n".utf8)

  init() throws {
    var template = Array((NSTemporaryDirectory() + "/lifecycled-XXXXXX").utf8CString)
    folder = try #require(mkdtemp(&template).map { String(cString: $0) })
    try #require(chmod(folder, 0o755) == 0)
  }

  deinit { try? FileManager.default.removeItem(atPath: folder) }

  private func write(_ name: String, _ bytes: [UInt8], mode: mode_t = 0o644) throws {
    let path = "\(folder)/\(name)"
    try #require(FileManager.default.createFile(atPath: path, contents: Data(bytes)))
    try #require(chmod(path, mode) == 0)
  }

  private func load(asRoot: Bool = false) -> Configuration {
    ConfigurationLoader(
      folders: .only(folder), source: SystemConfigurationSource(), requiresRootOwnership: asRoot,
      runtimeDirectory: "/run"
    ).load()
  }

  private func problem(of name: String, limit: Int = 1 << 20) -> SourceProblem? {
    do throws(SourceProblem) {
      _ = try SystemConfigurationSource().read("\(folder)/\(name)", limit: limit)
      return nil
    } catch {
      return error
    }
  }

  @Test("Files, links and drop-ins are read; a link to /dev/null masks")
  func reads() throws {
    try write("a.hook", hook)
    try write("real", hook)
    try #require(symlink("real", "\(folder)/b.hook") == 0)
    try #require(symlink("/dev/null", "\(folder)/c.hook") == 0)
    try write("d.hook", [])
    try #require(mkdir("\(folder)/a.hook.d", 0o755) == 0)
    try write("a.hook.d/x.conf", Array("[Hook]\nTimeoutSec=7\n".utf8))
    let configuration = load()
    #expect(configuration.findings.all.isEmpty)
    #expect(configuration.hooks.map(\.name) == ["a.hook", "b.hook"])
    #expect(configuration.hooks[0].timeout == .seconds(7))
  }

  @Test("A broken link, a loop, a pipe, a socket's like and a folder are told apart and never block")
  func oddFiles() throws {
    try #require(symlink("nowhere", "\(folder)/broken.hook") == 0)
    try #require(symlink("loop.hook", "\(folder)/loop.hook") == 0)
    try #require(mkfifo("\(folder)/pipe.hook", 0o644) == 0)
    try #require(mkdir("\(folder)/folder.hook", 0o755) == 0)
    try #require(symlink("/dev/zero", "\(folder)/zero.hook") == 0)
    #expect(problem(of: "broken.hook") == .brokenLink)
    #expect(problem(of: "loop.hook") == .brokenLink)
    #expect(problem(of: "pipe.hook") == .notAFile)
    #expect(problem(of: "folder.hook") == .isAFolder)
    #expect(problem(of: "zero.hook") == .notAFile)
    #expect(problem(of: "missing.hook") == .missing)
    #expect(load().faults.count == 5)
  }

  @Test("A file of the limit's size is read, one byte more is refused")
  func sizeLimit() throws {
    try write("exact.hook", [UInt8](repeating: 0x23, count: 4096))
    try write("more.hook", [UInt8](repeating: 0x23, count: 4097))
    #expect(problem(of: "exact.hook", limit: 4096) == nil)
    #expect(problem(of: "more.hook", limit: 4096) == .tooLarge)
  }

  @Test("A file that claims no size, as under /proc, is read to its end")
  func filesWithoutSize() throws {
    let content = try SystemConfigurationSource().read("/proc/self/status", limit: 1 << 20)
    #expect((content.bytes ?? []).count > 100)
  }

  @Test("A folder that is missing, or no folder, exits with 66")
  func missingFolder() throws {
    try write("file", hook)
    for name in ["missing", "file"] {
      let configuration = ConfigurationLoader.system(.only("\(folder)/\(name)")).load()
      #expect(configuration.exitCode == .noInput)
      #expect(configuration.faults.count == 1)
    }
  }

  @Test(
    "F20: root refuses what others own or can write, and takes it once it is put right",
    .enabled(if: geteuid() == 0, "only root can give files away"))
  func ownership() throws {
    try write("a.hook", hook)
    #expect(load(asRoot: true).isUsable)
    try #require(chmod("\(folder)/a.hook", 0o666) == 0)
    #expect(load(asRoot: true).faults.map(\.file) == ["\(folder)/a.hook"])
    try #require(chmod("\(folder)/a.hook", 0o644) == 0)
    try #require(chown("\(folder)/a.hook", 65534, 0) == 0)
    #expect(load(asRoot: true).faults.map(\.file) == ["\(folder)/a.hook"])
    try #require(chown("\(folder)/a.hook", 0, 0) == 0)
    try #require(chmod(folder, 0o775) == 0)
    #expect(load(asRoot: true).faults.map(\.file) == [folder])
    try #require(chmod(folder, 0o755) == 0)
    #expect(load(asRoot: true).isUsable)
  }

  @Test(
    "F20: a link is judged by the folder in which its file really lies",
    .enabled(if: geteuid() == 0, "only root passes the first check"))
  func linkTarget() throws {
    try #require(mkdir("\(folder)/open", 0o777) == 0)
    try #require(chmod("\(folder)/open", 0o777) == 0)
    try write("open/real", hook)
    try #require(symlink("open/real", "\(folder)/a.hook") == 0)
    let faults = load(asRoot: true).faults
    #expect(faults.map(\.file) == ["\(folder)/a.hook"])
    #expect(faults.first?.what.hasSuffix("/open can be written by its group and everybody") == true)
    #expect(load(asRoot: false).isUsable)
  }
}
