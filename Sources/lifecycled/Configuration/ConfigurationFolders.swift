/// Which folders configuration is read from, the most important first.
enum ConfigurationFolders: Sendable, Equatable {
  /// The administrator's over the running system's over the local over the distribution's; any may be missing.
  case standard
  /// `--config DIR`: this folder alone, and it has to be there.
  case only(String)

  static let standardPaths = [
    "/etc/lifecycled", "/run/lifecycled", "/usr/local/lib/lifecycled", "/usr/lib/lifecycled",
  ]

  var paths: [String] {
    switch self {
    case .standard: Self.standardPaths
    case .only(let folder): [folder]
    }
  }

  var mayBeMissing: Bool { self == .standard }
}
