import Foundation
import Glibc
import Mediator
import MediatorBridge
import Testing

@Suite("Credentials", .timeLimit(.minutes(5)))
final class CredentialTests {
  private struct Account: Codable, Equatable { var user: String }

  private let folder = "/tmp/mediator-\(UInt64.random(in: 0 ... .max))"
  private let context: LifecycleContext

  init() {
    precondition(mkdir(folder, 0o700) == 0)
    context = LifecycleContext(start: StartInformation(credentialsDirectory: folder))
  }

  deinit { try? FileManager.default.removeItem(atPath: folder) }

  private func write(_ name: String, _ bytes: [UInt8]) throws {
    try Data(bytes).write(to: URL(filePath: "\(folder)/\(name)"))
  }

  private func message<Value>(_ credential: Credential<Value>, in context: LifecycleContext? = nil) -> String? {
    do throws(LifecycleError) {
      _ = try (context ?? self.context).read(credential)
    } catch {
      return error.code == .credential ? error.message : "another error: \(error)"
    }
    return nil
  }

  @Test("bytes, text and JSON are read as what they are, anew each time")
  func kinds() throws {
    try write("key", [0, 1, 255])
    #expect(try context.read(.data("key")) == Data([0, 1, 255]))
    try write("password", Array("secret\n\n".utf8))
    #expect(try context.read(Credential.text("password")) == "secret\n")
    try write("password", Array("renewed".utf8))
    #expect(try context.read(Credential.text("password")) == "renewed")
    try write("account", Array(#"{"user": "bread"}"#.utf8))
    #expect(try context.read(Credential<Account>.json("account")) == Account(user: "bread"))
    #expect(context.credentialNames == ["account", "key", "password"])
  }

  @Test("one that is missing is an error that names it and those that there are")
  func missing() throws {
    #expect(message(Credential.text("a")) == "there is no credential a; the service manager passed none at all")
    try write("key", [])
    try write("b", [])
    #expect(message(Credential.text("a")) == "there is no credential a; there are: b, key")
    #expect(
      message(Credential.text("a"), in: LifecycleContext())
        == "there is no credential a; the service manager passed none at all")
  }

  @Test("what is not as it should be is named, and its content is not")
  func wrong() throws {
    try write("x", [0xFF, 0xFE])
    #expect(message(Credential.text("x")) == "the credential x cannot be used: it is not UTF-8")
    try write("x", Array("hunter2".utf8))
    #expect(
      message(Credential<Account>.json("x")) == "the credential x cannot be used: it is not the JSON of a Account")
    try write("x", [UInt8](repeating: 65, count: 1 << 20 + 1))
    #expect(message(Credential.text("x")) == "the credential x cannot be read: File too large")
    precondition(mkdir("\(folder)/d", 0o700) == 0)
    #expect(message(Credential.text("d")) == "the credential d cannot be read: Is a directory")
  }

  @Test("a name that leads elsewhere is none", arguments: ["", ".", "..", "../x", "/etc/passwd", "a\0b"])
  func names(name: String) {
    #expect(message(Credential.text(name)) == "\"\(name)\" cannot be the name of a credential")
  }
}
