internal import MediatorLinux

/// What this program is called.
enum ProgramName {
  /// As it was started, to people; empty when nobody says.
  static var called: String { last(of: CommandLine.arguments.first ?? "") }

  /// As its file, whatever it was started as.
  static var file: String { Folder.link("/proc/self/exe").map(last) ?? called }

  private static func last(of path: String) -> String { path.split(separator: "/").last.map(String.init) ?? "" }
}
