/// What the process was started with, and why: captured once, before the first listener is told anything.
public struct StartInformation: Hashable, Sendable {
  /// Why this process runs, as what earlier runs have left tells it.
  ///
  /// A program with a `StateRestoring` listener leaves a mark when it starts, and another when it stops as it was asked
  /// to.
  public enum Cause: String, Hashable, Sendable, CaseIterable {
    /// It is not known: nothing was left by an earlier run, and nothing could have been.
    case unknown
    /// Nobody ran before it since the machine started.
    case firstStart
    /// An earlier run ended as it was asked to.
    case restart
    /// An earlier run ended without being asked to.
    case crashRecovery
    /// An earlier run was another version of the program.
    case upgrade
  }

  /// The command line, with the program's name first.
  public var arguments: [String]
  /// Sockets that the manager opened for us, by name (`FileDescriptorName=` in systemd.socket(5)); one name may have
  /// several descriptors.
  public var sockets: [String: [Int32]]
  /// Sockets that an earlier run has kept in the manager's store, by the name under which it kept them.
  ///
  /// Take them with `takeSocket` of the bridge before the start ends: those that nobody took are closed then, whoever
  /// uses their numbers.
  public var keptSockets: [String: Int32]
  /// `$CREDENTIALS_DIRECTORY` of systemd.exec(5): the folder of the credentials that the manager passed; nil for none.
  public var credentialsDirectory: String?
  /// `$INVOCATION_ID` of systemd.exec(5), which the journal files this run's lines under; nil without a manager.
  public var invocationID: String?
  /// Why the process runs, as far as it is known.
  public var cause: Cause

  /// Makes start information, for instance in a test.
  public init(
    arguments: [String] = [], sockets: [String: [Int32]] = [:], keptSockets: [String: Int32] = [:],
    credentialsDirectory: String? = nil, invocationID: String? = nil, cause: Cause = .unknown
  ) {
    self.arguments = arguments
    self.sockets = sockets
    self.keptSockets = keptSockets
    self.credentialsDirectory = credentialsDirectory
    self.invocationID = invocationID
    self.cause = cause
  }
}
