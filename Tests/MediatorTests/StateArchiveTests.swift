import Foundation
import MediatorTestKit
import Testing

@testable import Mediator

@Suite("What a run leaves for the next one", .timeLimit(.minutes(5)))
struct StateArchiveTests {
  private static let archive = StateArchive(
    sequence: 7, hasEnded: true, boot: "b", program: "p",
    states: [
      SavedState(listener: "counter", version: 2, data: Data(#"{"count":42}"#.utf8)),
      SavedState(listener: "ü: name", version: -1, data: Data([0, 255])),
    ])

  @Test("it comes back as it was, also an empty one")
  func roundTrip() throws {
    #expect(try StateArchive(Self.archive.encoded()) == Self.archive)
    let empty = StateArchive(sequence: UInt64(Int64.max), hasEnded: false, boot: "", program: "", states: [])
    #expect(try StateArchive(empty.encoded()) == empty)
  }

  @Test("a number that leaves no room for the next one is none that was counted")
  func sequence() {
    for sequence in [UInt64(Int64.max) + 1, .max] {
      let archive = StateArchive(sequence: sequence, hasEnded: true, boot: "", program: "", states: [])
      #expect(throws: StateArchive.Fault.unreadable) { try StateArchive(archive.encoded()) }
    }
  }

  @Test("the checksum is the CRC-32 that everybody knows")
  func checksum() {
    #expect(Checksum.of("123456789".utf8) == 0xCBF4_3926)
    #expect(Checksum.of([]) == 0)
  }

  @Test("each fault has its words")
  func faults() throws {
    let bytes = try Self.archive.encoded()
    func fault(_ bytes: [UInt8]) -> StateArchive.Fault? {
      do { _ = try StateArchive(bytes) } catch { return error }
      return nil
    }
    var other = bytes
    other[8] = 2
    var damaged = bytes
    damaged[bytes.count - 1] ^= 1
    #expect(fault([]) == .notOurs)
    #expect(fault(Array("garbage of some length, but no state".utf8)) == .notOurs)
    #expect(fault(Array(bytes.prefix(10))) == .truncated)
    #expect(fault(Array(bytes.dropLast())) == .truncated)
    #expect(fault(bytes + [0]) == .damaged)
    #expect(fault(damaged) == .damaged)
    #expect(fault(other) == .format(2))
    #expect(fault([UInt8](repeating: 0, count: StateArchive.mostBytes + 1)) == .tooLarge(StateArchive.mostBytes + 1))
    var large = Self.archive
    large.states[0].data = Data(repeating: 65, count: StateArchive.mostBytes)
    #expect(throws: StateArchive.Fault.self) { try large.encoded() }
    #expect(StateArchive.Fault.truncated.description == "it is truncated")
  }

  @Test("of 10,000 corrupted ones each is ignored, or accepted as it was")
  func corrupted() throws {
    let bytes = try Self.archive.encoded()
    var random = SplitMix64(state: 20_261_130)
    var ignored = 0
    for round in 0..<10_000 {
      var bad = bytes
      switch round % 4 {
      case 0: bad[Int.random(in: 0..<bad.count, using: &random)] ^= 1 << UInt8.random(in: 0..<8, using: &random)
      case 1: bad.removeLast(Int.random(in: 1...bad.count, using: &random))
      case 2:
        for _ in 0..<Int.random(in: 1...64, using: &random) {
          bad[Int.random(in: 0..<bad.count, using: &random)] = UInt8.random(in: 0...255, using: &random)
        }
      default:
        bad = (0..<Int.random(in: 0...300, using: &random)).map { _ in UInt8.random(in: 0...255, using: &random) }
      }
      guard let archive = try? StateArchive(bad) else {
        ignored += 1
        continue
      }
      #expect(bad == bytes && archive == Self.archive, "round \(round)")
    }
    #expect(ignored > 9_900)
  }

  @Test("a right checksum over nonsense is no archive")
  func nonsense() throws {
    for body in ["", "{", "[]", #"{"sequence":1}"#, #"{"sequence":-1,"hasEnded":1}"#] {
      let length = (0..<8).map { UInt8(truncatingIfNeeded: body.utf8.count >> ($0 * 8)) }
      let sum = Checksum.of([1, 0, 0, 0] + length + Array(body.utf8))
      let bytes = Array("LIFECYCL".utf8) + [1, 0, 0, 0] + (0..<4).map { UInt8(truncatingIfNeeded: sum >> ($0 * 8)) }
      #expect(throws: StateArchive.Fault.unreadable, "\(body)") { try StateArchive(bytes + length + Array(body.utf8)) }
    }
  }

  @Test("why a process runs, by what the one before has left")
  func causes() {
    func cause(
      _ hasEnded: Bool?, boot: String = "b", program: String = "p", isRemembered: Bool = true
    ) -> StartInformation.Cause {
      let newest = hasEnded.map { StateArchive(sequence: 1, hasEnded: $0, boot: "b", program: "p", states: []) }
      return StateArchive.cause(of: newest, boot: boot, program: program, isRemembered: isRemembered)
    }
    #expect(cause(nil) == .firstStart)
    #expect(cause(nil, isRemembered: false) == .unknown)
    #expect(cause(true) == .restart)
    #expect(cause(false) == .crashRecovery)
    #expect(cause(true, program: "q") == .upgrade)
    #expect(cause(false, program: "q") == .crashRecovery)
    #expect(cause(false, boot: "c") == .firstStart)
  }
}
