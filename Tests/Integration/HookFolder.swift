/// A folder of configuration for one test, with hooks that leave a trace.
import Foundation
import Glibc

final class HookFolder: Sendable {
  /// For `--config`.
  let path: String
  private let root: String

  init() throws {
    root = "\(NSTemporaryDirectory())/lifecycled-test-\(UInt64.random(in: 0 ... .max))"
    path = root + "/config"
    for folder in [root, path, root + "/scripts"] { try Self.make(folder) }
  }

  deinit { try? FileManager.default.removeItem(atPath: root) }

  private static func make(_ folder: String) throws {
    guard mkdir(folder, 0o755) == 0 else { throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO) }
  }

  /// Writes NAME.hook, which runs a shell script after it has said in the trace: NAME, event, reason.
  func hook(_ name: String, on events: String, _ script: String = "", keys: String = "") throws {
    let file = "\(root)/scripts/\(name).sh"
    let text =
      "echo \"\(name) $LIFECYCLE_EVENT $LIFECYCLE_REASON\" >>\(trace)\nTRACE=\(trace) ROOT=\(root)\n\(script)\n"
    try text.write(toFile: file, atomically: true, encoding: .utf8)
    try write("\(name).hook", "[Hook]\nOn=\(events)\nExec=/bin/sh \(file)\n\(keys)\n")
  }

  func write(_ name: String, _ text: String) throws {
    let file = "\(path)/\(name)"
    if name.contains("/") {
      try FileManager.default.createDirectory(
        atPath: String(file[..<file.lastIndex(of: "/")!]), withIntermediateDirectories: true)
    }
    try text.write(toFile: file, atomically: false, encoding: .utf8)
    chmod(file, 0o644)
  }

  func remove(_ name: String) throws { try FileManager.default.removeItem(atPath: "\(path)/\(name)") }

  /// A file beside the configuration; scripts know the folder as `$ROOT`.
  func beside(_ name: String) -> String { "\(root)/\(name)" }

  /// Opens what a script waits for with `until [ -e $ROOT/NAME ]; do sleep 0.01; done`.
  func touch(_ name: String) { close(creat(beside(name), 0o644)) }

  /// Where hooks and programs say that they ran.
  var tracePath: String { trace }

  private var trace: String { root + "/trace" }

  /// Which hooks ran on what, in order.
  var ran: [String] {
    ((try? String(contentsOfFile: trace, encoding: .utf8)) ?? "").split(separator: "\n").map(String.init)
  }

  func forget() { try? FileManager.default.removeItem(atPath: trace) }
}

extension HookFolder {
  /// What a script says to wait for a file beside the configuration.
  static func wait(for name: String) -> String { "until [ -e $ROOT/\(name) ]; do sleep 0.01; done" }
}
