/// What the built lifecycled says about a program on its command line without running it.
import Foundation
import MediatorLinux
import Testing

@Suite(.timeLimit(.minutes(5)))
struct PrintedUnitTests {
  @Test("unit prints ExecStart= with the absolute path of lifecycled itself, and exits 0")
  func unit() throws {
    let process = try ExampleProcess("lifecycled", ["unit", "--ready=notify", "--", "/bin/true", "100%"])
    #expect(process.exitStatus() == .exited(0))
    let lines = process.output.split(separator: "\n").map(String.init)
    let start = try #require(lines.first { $0.hasPrefix("ExecStart=/") })
    #expect(start.hasSuffix("/lifecycled run --ready=notify -- /bin/true 100%%"))
    #expect(FileManager.default.isExecutableFile(atPath: String(start.dropFirst(10).prefix { $0 != " " })))
    #expect(lines.contains("KillMode=mixed") && lines.last == "WantedBy=multi-user.target")
  }

  @Test("A relative program is refused with 64 and the path that it has here")
  func relative() throws {
    let process = try ExampleProcess("lifecycled", ["unit", "--", "./file"], files: ["file": "#!/bin/sh\n"])
    #expect(process.exitStatus() == .exited(64))
    #expect(process.output.contains("'./file' is not an absolute path"))
    let found = try ExampleProcess("lifecycled", ["unit", "--", "true"], variables: ["PATH=/usr/bin"])
    #expect(found.exitStatus() == .exited(64))
    #expect(
      found.output == "lifecycled: unit: the program 'true' is not an absolute path (write /usr/bin/true)\n")
  }

  @Test("check lists programs beside hooks")
  func check() throws {
    let process = try ExampleProcess(
      "lifecycled", ["check", "--config", "."],
      files: ["20-a.hook": "[Hook]\nOn=start\nExec=/bin/a\nAfter=30-b\n", "30-b.process": "[Process]\nExec=/bin/b\n"])
    #expect(process.exitStatus() == .exited(0))
    #expect(
      process.output == """
        30-b.process\t-\t-\trequired\t./30-b.process
        20-a.hook\tstart\t30s\trequired\t./20-a.hook
        The configuration is in order: 1 hook, 1 program.

        """)
  }
}
