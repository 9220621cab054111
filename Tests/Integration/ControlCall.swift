/// Commands to a running lifecycled, and scripts that talk to its control socket, for tests.
import Foundation
import Glibc
import Mediator
import MediatorLinux

/// What a process printed, to standard output and error, and its exit status; -1 for any other end.
struct CallResult: Sendable {
  var status: Int32
  var output: String
}

extension HookFolder {
  /// Of the daemons that use this folder.
  var controlPath: String { beside("control/socket") }

  /// The daemon's ends, the one that listens among them.
  var openControlSockets: Int {
    let sockets = (try? String(contentsOfFile: "/proc/net/unix", encoding: .utf8)) ?? ""
    return sockets.split(separator: "\n").count { $0.contains(controlPath) }
  }

  /// `lifecycled WORDS`, over the socket of this folder.
  func control(_ words: String...) async throws -> CallResult { try await control(words) }

  func control(_ words: [String]) async throws -> CallResult {
    try await call([DaemonUnderTest.binary] + words)
  }

  /// Python that knows `connect()`, `message(method, parameters, more)` and `call(socket, method, …)`.
  func script(_ code: String) async throws -> CallResult {
    let prelude = """
      import json
      def connect():
        s = socket.socket(socket.AF_UNIX)
        s.connect("\(controlPath)")
        return s
      def message(method, parameters={}, more=False):
        call = {"method": "io.lifecycled.Control." + method, "parameters": parameters, "more": more}
        return json.dumps(call).encode() + bytes([0])
      def call(s, method, parameters={}, more=False):
        s.sendall(message(method, parameters, more))
        answer = b""
        while not answer.endswith(bytes([0])):
          part = s.recv(65536)
          if not part: raise EOFError(method)
          answer += part
        return json.loads(answer.split(bytes([0]))[0])

      """
    return try await call(try python(prelude + code))
  }

  private func call(_ words: [String]) async throws -> CallResult {
    var variables = ProcessInfo.processInfo.environment
    for name in ["NOTIFY_SOCKET", "RUNTIME_DIRECTORY"] { variables[name] = nil }
    variables["LIFECYCLE_CONTROL"] = controlPath
    let loop = try EventLoop(name: "control-call")
    let output = Shared<[UInt8]>([])
    let end = Shared<MediatorLinux.ExitStatus?>(nil)
    let child = try Child.start(
      SpawnRequest(executable: words[0], arguments: words, environment: variables.map { "\($0.key)=\($0.value)" }),
      on: loop, output: { bytes in output.withLock { $0 += bytes } },
      exited: { status in end.withLock { $0 = status } })
    if !(await eventually(within: .seconds(60), { end.withLock(\.self) != nil })) {
      try? child.signalGroup(SIGKILL)
      _ = await eventually { end.withLock(\.self) != nil }
    }
    loop.shutdown()
    let text = String(decoding: output.withLock(\.self), as: UTF8.self)
    if case .exited(let status)? = end.withLock(\.self) { return CallResult(status: status, output: text) }
    return CallResult(status: -1, output: text)
  }
}

extension DaemonUnderTest {
  /// What it holds open now.
  var descriptorCount: Int {
    (try? FileManager.default.contentsOfDirectory(atPath: "/proc/\(processID)/fd").count) ?? 0
  }

  /// VmRSS of proc_pid_status(5).
  var residentKiB: Int {
    let status = (try? String(contentsOfFile: "/proc/\(processID)/status", encoding: .utf8)) ?? ""
    let line = status.split(separator: "\n").first { $0.hasPrefix("VmRSS:") }
    return line.flatMap { Int($0.filter(\.isNumber)) } ?? 0
  }
}
