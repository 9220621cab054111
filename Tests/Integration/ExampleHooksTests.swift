/// The hooks that README.md shows.
import Foundation
import MediatorLinux
import Testing

@Suite(.timeLimit(.minutes(5)))
struct ExampleHooksTests {
  @Test("lifecycled check finds no fault in a hook of the README", arguments: ["Hooks/10-first", "Health/20-web"])
  func check(example: String) throws {
    let source = URL(filePath: #filePath).deletingLastPathComponent().appending(
      path: "../../Examples/\(example).hook")
    // In a folder of our own: as root, lifecycled looks at who may write it.
    let hook = try String(contentsOf: source.standardized, encoding: .utf8)
    let check = try ExampleProcess("lifecycled", ["check", "--config", "."], files: ["10-example.hook": hook])
    #expect(check.exitStatus() == .exited(0), "\(check.output)")
    #expect(check.output.contains("10-example.hook"))
  }
}
