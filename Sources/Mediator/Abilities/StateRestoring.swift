internal import Foundation

/// A listener whose state outlives the process.
///
/// `encodeState` is asked at `Lifecycle.saveState()`, after each reload that succeeded, and in a stop between
/// `didEnterBackground` and `willTerminate`: work has ended, and nothing is closed yet. What it returned last is offered
/// to `restoreState` of the next run, between `willFinishLaunching` and `didFinishLaunching`, also after a crash.
///
/// The bridge keeps it in the service manager's descriptor store (`FileDescriptorStoreMax=`, two places) and in a file
/// of `$STATE_DIRECTORY` (`StateDirectory=` in systemd.exec(5)); where there is a folder, the store is used from systemd
/// 254 on. All listeners together have about 12 MiB: 16 MiB as the archive encodes it. Instances of one program need a
/// folder each, as `StateDirectory=NAME/%i` gives them. It belongs to the listener of the same name. State of another
/// version, or that cannot be read, is reported and left out.
public protocol StateRestoring: LifecycleListener {
  /// What is kept; it is stored as JSON.
  associatedtype State: Codable & Sendable
  /// Grows when `State` changes in a way that old state cannot be read.
  static var stateVersion: Int { get }
  /// What the next run is to get; nil for nothing.
  ///
  /// When it throws, what it returned before stays kept.
  func encodeState() async throws -> State?
  /// Takes over what an earlier run has left; a throw starts without it, and the service is degraded.
  func restoreState(_ state: State) async throws
}

/// A `StateRestoring` listener whose `State` is forgotten.
struct ErasedState: Sendable {
  let version: Int
  let encode: @Sendable () async throws -> Data?
  let restore: @Sendable (Data) async throws -> Void

  init<Listener: StateRestoring>(_ listener: Listener) {
    version = Listener.stateVersion
    encode = { try await listener.encodeState().map { try JSONEncoder().encode($0) } }
    restore = { try await listener.restoreState(try JSONDecoder().decode(Listener.State.self, from: $0)) }
  }
}
