/// What as root is refused: files that others may write.
import Glibc
import MediatorLinux
import MediatorTestKit
import Testing

extension HookFolder {
  /// A daemon that runs with this folder, and one that is to start, refuse it when others may write this file of it;
  /// with an empty name, the folder itself.
  func isRefused(whenOthersMayWrite name: String) async throws {
    let path = name.isEmpty ? self.path : "\(self.path)/\(name)"
    let running = try DaemonUnderTest(self)
    try await running.ready()
    #expect(chmod(path, name.isEmpty ? 0o777 : 0o666) == 0)
    let status = try #require(try await running.reload().value(of: "STATUS"))
    #expect(status.hasPrefix("reload failed: configuration: \(path): refused: "))
    let second = try DaemonUnderTest(self)
    #expect(await second.ended() == .exited(78))
    #expect(second.logs("\(path): refused: "))
    #expect(await running.stop() == .exited(0))
  }
}
