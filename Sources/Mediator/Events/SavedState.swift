public import Foundation

/// What one `StateRestoring` listener hands over to the next run.
public struct SavedState: Hashable, Sendable, Codable {
  /// The listener's name.
  public var listener: String
  /// Its `stateVersion`; what another version has left is not offered.
  public var version: Int
  /// The encoded value, as a JSON document.
  public var data: Data

  /// Makes a saved state, for instance in a test.
  public init(listener: String, version: Int, data: Data) {
    self.listener = listener
    self.version = version
    self.data = data
  }
}
