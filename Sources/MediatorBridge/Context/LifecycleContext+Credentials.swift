internal import Foundation
public import Mediator
internal import MediatorLinux

/// The credentials that the service manager passed to the process (`$CREDENTIALS_DIRECTORY` in systemd.exec(5)).
extension LifecycleContext {
  /// Reads a credential now, anew each time: it may have been renewed, and nothing secret is kept.
  ///
  /// - Throws: `.credential`, which names it, and what there is instead.
  public func read<Value>(_ credential: Credential<Value>) throws(LifecycleError) -> Value {
    let name = credential.name
    guard !name.isEmpty, name != ".", name != "..", !name.utf8.contains(where: { $0 == 0x2F || $0 == 0 }) else {
      throw LifecycleError(
        .credential, message: "\"\(name)\" cannot be the name of a credential", advice: "it is the name of a file")
    }
    guard let folder = start.credentialsDirectory else { throw missing(name) }
    let bytes: [UInt8]
    do throws(LinuxError) {
      bytes = try SmallFile.read("\(folder)/\(name)", limit: Self.mostBytes)
    } catch {
      if error.code == POSIXErrorCode.ENOENT.rawValue { throw missing(name) }
      throw LifecycleError(
        .credential, message: "the credential \(name) cannot be read: \(LinuxError.text(error.code))",
        advice: "see \(folder)/\(name)", errno: error.code)
    }
    do {
      return try credential.make(Data(bytes))
    } catch {
      throw LifecycleError(
        .credential, message: "the credential \(name) cannot be used: \(error)", advice: "see what the unit loads")
    }
  }

  /// The names of all credentials that there are now, sorted.
  public var credentialNames: [String] { start.credentialsDirectory.map { Folder.names($0).sorted() } ?? [] }

  /// What systemd allows for all credentials of a unit.
  private static let mostBytes = 1 << 20

  private func missing(_ name: String) -> LifecycleError {
    let names = credentialNames.joined(separator: ", ")
    let what = names.isEmpty ? "the service manager passed none at all" : "there are: \(names)"
    return LifecycleError(
      .credential, message: "there is no credential \(name); \(what)",
      advice: "write LoadCredential=\(name):PATH into the unit")
  }
}
