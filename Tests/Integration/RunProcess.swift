/// `lifecycled run` and programs in Python, for tests.
import Foundation
import MediatorTestKit

extension HookFolder {
  /// The words that run a piece of Python, which knows `notify(text)`, `trace(text)` and `wait_for(file)`.
  func python(_ code: String) throws -> [String] {
    let prelude = """
      import os, signal, socket, subprocess, sys, time
      def notify(text):
        address = os.environ["NOTIFY_SOCKET"]
        with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as s:
          s.connect(chr(0) + address[1:] if address[0] == "@" else address)
          s.send(text if isinstance(text, bytes) else text.encode())
      def trace(text):
        with open("\(tracePath)", "a") as file: file.write(text + chr(10))
      def wait_for(name):
        while not os.path.exists("\(beside(""))" + name): time.sleep(0.005)

      """
    let file = beside("program-\(UInt32.random(in: 0 ... .max)).py")
    try (prelude + code).write(toFile: file, atomically: true, encoding: .utf8)
    return ["/usr/bin/python3", file]
  }

  /// Writes NAME.process, which runs a piece of Python.
  func program(_ name: String, _ code: String, keys: String = "") throws {
    let words = try python(code).joined(separator: " ")
    try write("\(name).process", "[Process]\nExec=\(words)\n\(keys)\n")
  }
}

extension DaemonUnderTest {
  /// `lifecycled run OPTIONS -- WORDS`.
  static func run(
    _ folder: HookFolder, _ options: [String] = [], _ words: [String],
    manager place: FakeServiceManager.Place? = .folder, environment: [String: String] = [:], launcher: [String] = []
  ) throws -> DaemonUnderTest {
    try DaemonUnderTest(
      folder, manager: place, environment: environment, launcher: launcher,
      command: ["run"] + options + ["--"] + words)
  }
}

/// Processes that have this text in their command line.
func processes(with text: String) -> [Int32] {
  let names = (try? FileManager.default.contentsOfDirectory(atPath: "/proc")) ?? []
  return names.compactMap(Int32.init).filter { pid in
    guard let line = try? Data(contentsOf: URL(fileURLWithPath: "/proc/\(pid)/cmdline")) else { return false }
    return String(decoding: line, as: UTF8.self).contains(text)
  }
}
