internal import Foundation

/// What one run leaves for the next: the states of its listeners, and how far it has come.
///
/// Encoded it is a header of 24 bytes and a JSON document: `LIFECYCL`, the format, the checksum of what follows it, and
/// the document's length, all little endian.
package struct StateArchive: Hashable, Sendable, Codable {
  /// Why some bytes are no archive, in words for a report.
  package enum Fault: Error, Hashable, Sendable, CustomStringConvertible {
    case notOurs
    case format(UInt32)
    case truncated
    case damaged
    case unreadable
    case tooLarge(Int)

    package var description: String {
      switch self {
      case .notOurs: "it is no saved state"
      case .format(let format): "it is of format \(format), not \(StateArchive.format)"
      case .truncated: "it is truncated"
      case .damaged: "it is damaged"
      case .unreadable: "it cannot be understood"
      case .tooLarge(let count): "it has \(count) bytes, and \(StateArchive.mostBytes) are the most"
      }
    }
  }

  /// The whole archive; more is neither written nor read.
  package static let mostBytes = 16 << 20
  static let format: UInt32 = 1
  private static let magic = Array("LIFECYCL".utf8)
  private static let headerLength = 24
  /// Where the checksum ends, and what it covers begins.
  private static let coveredFrom = 16

  /// Grows with each archive, also from run to run: the greatest is the newest.
  package var sequence: UInt64
  /// Whether the run was ending, as it was asked to.
  package var hasEnded: Bool
  /// Which start of the machine it was, and which build of the program.
  package var boot: String
  package var program: String
  package var states: [SavedState]

  package init(sequence: UInt64, hasEnded: Bool, boot: String, program: String, states: [SavedState]) {
    self.sequence = sequence
    self.hasEnded = hasEnded
    self.boot = boot
    self.program = program
    self.states = states
  }

  package func encoded() throws(Fault) -> [UInt8] {
    let encoder = JSONEncoder()
    encoder.outputFormatting = .sortedKeys
    guard let body = try? encoder.encode(self) else { throw .unreadable }
    let count = Self.headerLength + body.count
    guard count <= Self.mostBytes else { throw .tooLarge(count) }
    let covered = Self.bytes(of: UInt64(body.count)) + body
    // The format is covered, too: its bytes come first.
    let sum = Checksum.of(Self.bytes(of: Self.format) + covered)
    return Self.magic + Self.bytes(of: Self.format) + Self.bytes(of: sum) + covered
  }

  /// Reads a whole archive, or says why there is none; takes any bytes.
  package init(_ bytes: [UInt8]) throws(Fault) {
    guard bytes.count <= Self.mostBytes else { throw .tooLarge(bytes.count) }
    guard bytes.starts(with: Self.magic) else { throw .notOurs }
    guard bytes.count >= Self.headerLength else { throw .truncated }
    let format = UInt32(truncatingIfNeeded: Self.number(bytes[8..<12]))
    guard format == Self.format else { throw .format(format) }
    let length = Self.number(bytes[Self.coveredFrom..<Self.headerLength])
    guard length <= UInt64(bytes.count - Self.headerLength) else { throw .truncated }
    let sum = Checksum.of(bytes[8..<12] + bytes[Self.coveredFrom...])
    guard UInt64(sum) == Self.number(bytes[12..<16]) else { throw .damaged }
    guard length == UInt64(bytes.count - Self.headerLength) else { throw .damaged }
    let body = Data(bytes[Self.headerLength...])
    guard let archive = try? JSONDecoder().decode(StateArchive.self, from: body) else { throw .unreadable }
    // One that nobody can have counted up to, so that the next one can be counted.
    guard archive.sequence <= UInt64(Int64.max) else { throw .unreadable }
    self = archive
  }

  private static func bytes<Number: FixedWidthInteger>(of number: Number) -> [UInt8] {
    (0..<Number.bitWidth / 8).map { UInt8(truncatingIfNeeded: number >> ($0 * 8)) }
  }

  private static func number(_ bytes: ArraySlice<UInt8>) -> UInt64 {
    bytes.reversed().reduce(0) { $0 << 8 | UInt64($1) }
  }
}

extension StateArchive {
  /// Why a process runs that finds this archive, or none.
  ///
  /// - Parameter isRemembered: whether an earlier run would have left something that outlives each kind of end.
  package static func cause(
    of newest: StateArchive?, boot: String, program: String, isRemembered: Bool
  ) -> StartInformation.Cause {
    guard let newest else { return isRemembered ? .firstStart : .unknown }
    if newest.boot != boot { return .firstStart }
    if !newest.hasEnded { return .crashRecovery }
    return newest.program == program ? .restart : .upgrade
  }
}
