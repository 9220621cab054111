/// How a check is written in `Ready=`, `Health=`, `--ready=` and `--health=`.
internal import Mediator

extension ProgramCheck {
  /// What a check is for.
  enum Purpose: Sendable, Equatable {
    case readiness
    /// Asked again and again, so nothing that happens once can be.
    case health
  }

  /// The words that a check begins with.
  enum Kind: String, CaseIterable {
    case notify, exec, tcp, unix, http, file, log
    case descriptor = "fd"
    case delay

    var form: String {
      switch self {
      case .notify: "notify"
      case .exec: "exec COMMAND"
      case .tcp: "tcp:HOST:PORT"
      case .unix: "unix:PATH"
      case .http: "http://HOST:PORT/PATH"
      case .file: "file:PATH"
      case .log: "log:REGEX"
      case .descriptor: "fd:N"
      case .delay: "delay:SEC"
      }
    }

    func serves(_ purpose: Purpose) -> Bool {
      switch self {
      case .notify, .exec, .tcp, .unix, .http, .file: true
      case .log, .descriptor, .delay: purpose == .readiness
      }
    }

    static func forms(_ purpose: Purpose) -> String {
      allCases.filter { $0.serves(purpose) }.map(\.form).joined(separator: ", ")
    }
  }

  /// The command of `exec COMMAND`, not split into words yet; nil for every other kind of check.
  static func commandText(in text: String) -> String? {
    let rest = text.utf8.dropFirst(4)
    guard text.utf8.starts(with: "exec".utf8), rest.first.map({ $0 == 0x20 || $0 == 0x09 }) ?? true else { return nil }
    return String(rest)
  }

  /// Reads every kind but `exec COMMAND`, whose words the caller splits and expands by its own rules.
  init(parsing text: String, for purpose: Purpose) throws(ValueParser.Problem) {
    let word = String(text.prefix { $0 != ":" })
    let rest = String(text.dropFirst(word.count + 1))
    guard let kind = Kind(rawValue: word) else { throw Self.unknown(text, word, purpose) }
    guard kind.serves(purpose) else {
      throw .init(
        what: "\(kind.rawValue) tells once that a program is ready, not whether it is well",
        advice: "it is one of \(Kind.forms(purpose))")
    }
    let hasColon = word.utf8.count < text.utf8.count
    guard hasColon == (kind != .notify), kind != .exec else {
      throw .init(what: "\(text.quoted) is not how this check is written", advice: "write \(kind.form)")
    }
    switch kind {
    case .notify, .exec: self = .notify
    case .tcp: self = try Self.tcp(rest)
    case .unix: self = .unix(path: try Self.socketPath(rest))
    case .http: self = try Self.http(rest)
    case .file: self = .file(path: try ValueParser.absolutePath(rest))
    case .log: self = .log(pattern: try Self.pattern(rest))
    case .descriptor: self = .descriptor(try Self.descriptor(rest))
    case .delay: self = .delay(try ValueParser.delay(rest))
    }
  }

  private static func unknown(_ text: String, _ word: String, _ purpose: Purpose) -> ValueParser.Problem {
    if word.lowercased() == "https" {
      return .init(
        what: "TLS is not offered: \(text.quoted)",
        advice: "write exec curl --fail --silent --output /dev/null \(text.clipped)")
    }
    let names = Kind.allCases.filter { $0.serves(purpose) }.map(\.rawValue)
    return .init(
      what: "\(text.quoted) is not a check",
      advice: Suggestion.advice(for: word, among: names) ?? "it is one of \(Kind.forms(purpose))")
  }
}

// MARK: Back to text

extension ProgramCheck: CustomStringConvertible {
  /// As it is written, so that reading it gives this check again; the words of a command are quoted as in a unit file.
  var description: String {
    switch self {
    case .notify: "notify"
    case .exec(let command):
      (["exec"]
        + ([command.ignoresFailure ? "-" + command.program : command.program] + command.arguments)
        .map(UnitQuoted.text)).joined(separator: " ")
    case .tcp(let host, let port): "tcp:\(Self.bracketed(host)):\(port)"
    case .unix(let path): "unix:\(path)"
    case .http(let host, let port, let path): "http://\(Self.bracketed(host)):\(port)\(path)"
    case .file(let path): "file:\(path)"
    case .log(let pattern): "log:\(pattern)"
    case .descriptor(let number): "fd:\(number)"
    case .delay(let time): "delay:\(time)"
    }
  }

  private static func bracketed(_ host: String) -> String { host.contains(":") ? "[\(host)]" : host }
}
