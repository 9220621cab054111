internal import Glibc
internal import Mediator

/// Names of signals as signal(7), kill(1) and systemd write them.
enum SignalName {
  private static let named: [(name: String, number: Int32)] = [
    ("HUP", SIGHUP), ("INT", SIGINT), ("QUIT", SIGQUIT), ("ILL", SIGILL), ("TRAP", SIGTRAP), ("ABRT", SIGABRT),
    ("BUS", SIGBUS), ("FPE", SIGFPE), ("KILL", SIGKILL), ("USR1", SIGUSR1), ("SEGV", SIGSEGV), ("USR2", SIGUSR2),
    ("PIPE", SIGPIPE), ("ALRM", SIGALRM), ("TERM", SIGTERM), ("STKFLT", 16), ("CHLD", SIGCHLD), ("CONT", SIGCONT),
    ("STOP", SIGSTOP), ("TSTP", SIGTSTP), ("TTIN", SIGTTIN), ("TTOU", SIGTTOU), ("URG", SIGURG), ("XCPU", SIGXCPU),
    ("XFSZ", SIGXFSZ), ("VTALRM", SIGVTALRM), ("PROF", SIGPROF), ("WINCH", SIGWINCH), ("IO", SIGIO), ("PWR", SIGPWR),
    ("SYS", SIGSYS), ("IOT", SIGABRT), ("CLD", SIGCHLD), ("POLL", SIGIO),
  ]

  /// What glibc leaves to programs; 34 to 64 on Linux.
  static let realTime: ClosedRange<Int32> = __libc_current_sigrtmin()...__libc_current_sigrtmax()

  /// The number of `HUP`, `SIGHUP`, `RTMIN+3`, `RTMAX-1` or `12`.
  static func number(of text: String) throws(ValueParser.Problem) -> Int32 {
    var name = text.uppercased()
    if name.hasPrefix("SIG") { name.removeFirst(3) }
    if let known = named.first(where: { $0.name == name }) { return known.number }
    if name.hasPrefix("RTMIN"), let offset = offset(name.dropFirst(5), sign: "+") {
      return try realTime(realTime.lowerBound, plus: offset, text)
    }
    if name.hasPrefix("RTMAX"), let offset = offset(name.dropFirst(5), sign: "-") {
      return try realTime(realTime.upperBound, plus: -offset, text)
    }
    if let number = Int32(name), name.first?.isNumber == true {
      if (1...31).contains(number) || realTime.contains(number) { return number }
      throw ValueParser.Problem(
        what: "\(text.quoted) is not the number of a signal",
        advice: "they go from 1 to 31 and from \(realTime.lowerBound) to \(realTime.upperBound)")
    }
    throw ValueParser.Problem(
      what: "\(text.quoted) is not a signal",
      advice: Suggestion.advice(for: name, among: named.map(\.name)) ?? "write a name such as HUP, USR1 or RTMIN+3")
  }

  /// The number of a signal that asks a program to reload.
  static func reload(_ text: String) throws(ValueParser.Problem) -> Int32 {
    let signal = try number(of: text)
    if signal == SIGKILL || signal == SIGSTOP {
      throw .init(what: "\(name(of: signal)) reloads nothing: no program sees it", advice: "for example HUP")
    }
    return signal
  }

  /// The number of a signal that ends a program.
  static func stop(_ text: String) throws(ValueParser.Problem) -> Int32 {
    let signal = try number(of: text)
    if [SIGSTOP, SIGTSTP, SIGTTIN, SIGTTOU, SIGCONT].contains(signal) {
      throw .init(what: "\(name(of: signal)) does not end a program", advice: "for example TERM, INT or QUIT")
    }
    return signal
  }

  /// Without `SIG`; real-time signals count from RTMIN.
  static func name(of number: Int32) -> String {
    if let known = named.first(where: { $0.number == number }) { return known.name }
    if realTime.contains(number) {
      return number == realTime.lowerBound ? "RTMIN" : "RTMIN+\(number - realTime.lowerBound)"
    }
    return "\(number)"
  }

  private static func offset(_ text: Substring, sign: Character) -> Int32? {
    if text.isEmpty { return 0 }
    guard text.first == sign, text.utf8.count <= 3, let value = Int32(text.dropFirst()), value >= 0,
      text.dropFirst().first?.isNumber == true
    else { return nil }
    return value
  }

  private static func realTime(_ base: Int32, plus offset: Int32, _ text: String) throws(ValueParser.Problem) -> Int32 {
    guard realTime.contains(base + offset) else {
      let count = realTime.upperBound - realTime.lowerBound
      throw ValueParser.Problem(
        what: "\(text.quoted) is beyond the real-time signals", advice: "they go from RTMIN to RTMIN+\(count)")
    }
    return base + offset
  }
}
