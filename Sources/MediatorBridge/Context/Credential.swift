public import Foundation

/// A credential by its name, and what it is: a key, a password, a certificate (`LoadCredential=` in systemd.exec(5)).
///
/// Keep it in a static constant, and read it with `LifecycleContext.read(_:)`.
public struct Credential<Value: Sendable>: Sendable {
  /// As the unit says it: `LoadCredential=NAME:PATH`.
  public let name: String
  let make: @Sendable (Data) throws -> Value

  /// A credential of a kind of its own.
  ///
  /// - Parameters:
  ///   - name: as the unit says it.
  ///   - make: makes the value of the file's bytes. What it throws is shown in logs, so it must not quote them.
  public init(_ name: String, _ make: @escaping @Sendable (Data) throws -> Value) {
    self.name = name
    self.make = make
  }
}

extension Credential where Value == Data {
  /// The bytes as they are.
  public static func data(_ name: String) -> Credential { Credential(name) { $0 } }
}

extension Credential where Value == String {
  /// UTF-8, without one line end behind it.
  public static func text(_ name: String) -> Credential {
    Credential(name) { data in
      guard var text = String(bytes: data, encoding: .utf8) else { throw CredentialFault(what: "it is not UTF-8") }
      if text.last?.isNewline == true { text.removeLast() }
      return text
    }
  }
}

extension Credential where Value: Decodable {
  /// JSON of that type.
  public static func json(_ name: String) -> Credential {
    Credential(name) { data in
      do {
        return try JSONDecoder().decode(Value.self, from: data)
      } catch {
        // A decoder's own words may quote the secret.
        throw CredentialFault(what: "it is not the JSON of a \(Value.self)")
      }
    }
  }
}

/// Why a credential is not what it should be, without a word of what is in it.
struct CredentialFault: Error, CustomStringConvertible {
  var what: String
  var description: String { what }
}
