/// One way to find out that a program is ready (`Ready=`), or well (`Health=`).
enum ProgramCheck: Sendable, Equatable {
  /// The program says so itself: READY=1, or WATCHDOG=1, as in sd_notify(3).
  case notify
  /// This command exits 0.
  case exec(HookCommand)
  /// Somebody accepts TCP connections there, at any address of the host; an IPv6 address stands without brackets.
  case tcp(host: String, port: UInt16)
  /// Somebody accepts stream connections at this path, or abstract name that begins with `@`.
  case unix(path: String)
  /// A GET of this path answers 200; redirects are not followed.
  case http(host: String, port: UInt16, path: String)
  /// Something lies at this path.
  case file(path: String)
  /// A line that the program prints matches this regular expression.
  case log(pattern: String)
  /// The program writes a line end to this descriptor, as s6 has it.
  case descriptor(Int32)
  /// It has run for so long.
  case delay(TimeSpan)
}
