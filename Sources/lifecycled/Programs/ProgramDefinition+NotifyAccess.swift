/// Whether a message counts, from whoever sent it.
extension ProgramDefinition.NotifyAccess {
  /// nil when the message is accepted, else why not, for one line of the log.
  ///
  /// - Parameters:
  ///   - sender: what the kernel says; 0 when it says nothing.
  ///   - mainProcess: nil while there is none.
  ///   - isInProgram: whether the sender is a process of the program; nil when it has ended and nobody can tell. Each
  ///     program has a socket of its own, so that counts as one of its processes.
  func refusal(sender: Int32, mainProcess: Int32?, isInProgram: Bool?) -> String? {
    switch self {
    case .main where sender > 0 && sender == mainProcess: return nil
    case .main:
      let main = mainProcess.map { "the main process is \($0)" } ?? "there is no main process"
      return "refused a message of \(Self.name(sender)): NotifyAccess=main, and \(main)"
    case .all where isInProgram ?? true: return nil
    case .all:
      return "refused a message of \(Self.name(sender)): NotifyAccess=all, and it is not a process of this program"
    case .none: return "refused a message of \(Self.name(sender)): NotifyAccess=none"
    }
  }

  private static func name(_ sender: Int32) -> String { sender > 0 ? "process \(sender)" : "an unknown process" }
}
