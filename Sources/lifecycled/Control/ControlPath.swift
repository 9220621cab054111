internal import Glibc

/// Where the control socket of a lifecycled is, for itself and for whoever asks it.
enum ControlPath {
  static let variable = "LIFECYCLE_CONTROL"

  /// `--control`, else `$LIFECYCLE_CONTROL`, else the first folder of `$RUNTIME_DIRECTORY`, else the one of the system
  /// or of the user; nil where there is none.
  static func path(option: String?, environment: [String: String], isRoot: Bool) -> String? {
    func value(_ name: String) -> String? { environment[name].flatMap { $0.isEmpty ? nil : $0 } }
    if let named = named(option: option, environment: environment) { return named }
    // systemd separates them with colons.
    if let folder = value("RUNTIME_DIRECTORY")?.split(separator: ":").first { return "\(folder)/socket" }
    if isRoot { return "/run/lifecycled/control/socket" }
    return value("XDG_RUNTIME_DIR").map { "\($0)/lifecycled/control/socket" }
  }

  /// The one that somebody has named for this very process: `lifecycled run` has no other, since the folder in
  /// `$RUNTIME_DIRECTORY` is its program's.
  static func named(option: String?, environment: [String: String]) -> String? {
    option ?? environment[variable].flatMap { $0.isEmpty ? nil : $0 }
  }

  /// Of this process.
  static func current(option: String?) -> String? {
    path(option: option, environment: environment, isRoot: geteuid() == 0).map(absolute)
  }

  static func currentlyNamed(option: String?) -> String? {
    named(option: option, environment: environment).map(absolute)
  }

  private static var environment: [String: String] {
    var values: [String: String] = [:]
    for name in [variable, "RUNTIME_DIRECTORY", "XDG_RUNTIME_DIR"] {
      values[name] = unsafe getenv(name).map { unsafe String(cString: $0) }
    }
    return values
  }

  private static func absolute(_ path: String) -> String {
    guard !path.hasPrefix("/"), let folder = unsafe getcwd(nil, 0) else { return path }
    defer { unsafe free(folder) }
    return "\(unsafe String(cString: folder))/\(path)"
  }
}
