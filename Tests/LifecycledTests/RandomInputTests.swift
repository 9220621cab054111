import MediatorTestKit
import Testing

@testable import lifecycled

/// Whatever the bytes, a reader ends and does not trap; the seed is fixed, so a failure comes back.
@Suite("Random input", .timeLimit(.minutes(5)))
struct RandomInputTests {
  private static let pieces: [[UInt8]] =
    [
      "\\", "\"", "'", ";", "\\;", "%", "%n", "%Q", "$", "${", "}", "$$", "=", "[", "]", "\n", "\r\n", "\r", "#", " ",
      "\t",
      "[Hook]\n", "Exec=", "On=start\n", "-", "@", "1", "99999999999999999999", ".", "min", "s", "infinity", "us", "y",
      "\\x", "\\x41", "\\u00e9", "\\U", "\\777", "é", "日", "\u{FEFF}", "export ", "A=b\n", "Signal=RTMIN+3:stop\n",
      "[Process]\n", "Ready=", "Health=", "After=", "exec ", "tcp:", "[::1]", ":80", "unix:/", "unix:@", "http://", "/",
      "file:/", "log:", "(", ")", "*", "{", "(?<", "fd:", "delay:", "Sockets=a", "Reload=overlap\n", "Restart=",
    ].map { Array($0.utf8) } + [[0], [0xFF], [0xC3], [0x9B], [0xED, 0xA0, 0x80], [0xF0, 0x9F]]

  private static func input(_ generator: inout SplitMix64) -> [UInt8] {
    var bytes = (0..<Int.random(in: 0...24, using: &generator)).flatMap { _ in
      Int.random(in: 0..<8, using: &generator) == 0
        ? [UInt8.random(in: 0...255, using: &generator)] : pieces.randomElement(using: &generator)!
    }
    if !bytes.isEmpty, Bool.random(using: &generator) {
      bytes[Int.random(in: 0..<bytes.count, using: &generator)] = UInt8.random(in: 0...255, using: &generator)
    }
    return bytes
  }

  @Test("No reader traps or hangs, and each keeps its promises", arguments: [1, 2, 3] as [UInt64])
  func readers(seed: UInt64) {
    var generator = SplitMix64(state: seed)
    let specifiers = Specifiers(name: "a@b.hook", runtimeDirectory: "/run")
    for _ in 0..<2_000 {
      let bytes = Self.input(&generator)
      let text = String(decoding: bytes, as: UTF8.self)
      let lines = bytes.count { $0 == 0x0A } + 1

      let (unit, faults) = UnitReader.read(bytes, file: "f")
      #expect(faults.allSatisfy { (1...lines).contains($0.line ?? 1) })
      #expect(unit.sections.allSatisfy { $0.entries.allSatisfy { (1...lines).contains($0.line) && !$0.key.isEmpty } })
      let (hook, _, findings) = HookReader.read(unit, file: "f", specifiers: specifiers)
      #expect(!findings.faults.isEmpty || !hook.commands.isEmpty)
      let (program, after, programFindings) = ProcessReader.read(unit, file: "f", specifiers: specifiers)
      #expect(!programFindings.faults.isEmpty || !program.command.program.isEmpty)
      #expect(program.after == after.map(\.name))
      for purpose in [ProgramCheck.Purpose.readiness, .health] {
        guard let check = try? ProgramCheck(parsing: text, for: purpose) else { continue }
        #expect((try? ProgramCheck(parsing: check.description, for: purpose)) == check)
      }
      var settingsFindings = Findings()
      _ = LifecycledSettings(reading: unit, findings: &settingsFindings)

      let split = CommandSplitter.split(text)
      #expect(split.commands.allSatisfy { !$0.isEmpty })
      for words in split.commands { _ = VariableExpansion.expand(words, environment: ["n": text]) }

      if case .microseconds(let count)? = try? TimeSpan(parsing: text) {
        #expect((try? TimeSpan(parsing: TimeSpan.microseconds(count).description)) == .microseconds(count))
      }
      let environment = EnvironmentFile.read(bytes, file: "f")
      #expect(environment.variables.allSatisfy { EnvironmentVariable.isValidName($0.name) })
      #expect(environment.faults.allSatisfy { (1...bytes.count + 1).contains($0.line ?? 1) })

      let escaped = Escaped.text(bytes)
      #expect(Escaped.text(escaped) == escaped)
    }
  }
}
