/// Reads a binary property list; the number of values is limited, since one object may be referred to many times.
struct BinaryListReader {
  static let magic = Array("bplist00".utf8)
  /// More than any file of listeners has, and few enough to be read at once.
  private static let mostValues = 100_000

  private let bytes: [UInt8]
  private let objectCount: Int
  private let tableStart: Int
  private let offsetSize: Int
  private let referenceSize: Int
  private var valueCount = 0

  private static let fault = RegistryFault(
    what: "the binary property list is damaged", advice: "`plutil` or `plistutil` can check it; write it anew")

  static func read(_ bytes: [UInt8]) throws(RegistryFault) -> LocatedValue {
    // The trailer: 6 bytes, two sizes, then the number of objects, the first one's number and the table's place.
    guard bytes.count >= magic.count + 32 else { throw fault }
    let trailer = bytes.count - 32
    var reader = BinaryListReader(
      bytes: bytes, objectCount: integer(bytes, trailer + 8, 8), tableStart: integer(bytes, trailer + 24, 8),
      offsetSize: Int(bytes[trailer + 6]), referenceSize: Int(bytes[trailer + 7]))
    guard (1...8).contains(reader.offsetSize), (1...8).contains(reader.referenceSize),
      (1...bytes.count).contains(reader.objectCount), (magic.count...trailer).contains(reader.tableStart),
      reader.objectCount * reader.offsetSize <= trailer - reader.tableStart
    else { throw fault }
    return try reader.object(integer(bytes, trailer + 16, 8), level: 0)
  }

  private init(bytes: [UInt8], objectCount: Int, tableStart: Int, offsetSize: Int, referenceSize: Int) {
    self.bytes = bytes
    self.objectCount = objectCount
    self.tableStart = tableStart
    self.offsetSize = offsetSize
    self.referenceSize = referenceSize
  }

  /// Big-endian; -1 when it does not fit, which no check lets pass.
  private static func integer(_ bytes: [UInt8], _ start: Int, _ size: Int) -> Int {
    let value = bytes[start..<start + size].reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
    return Int(exactly: value) ?? -1
  }

  private mutating func object(_ number: Int, level: Int) throws(RegistryFault) -> LocatedValue {
    valueCount += 1
    guard level < LocatedValue.mostLevels, valueCount <= Self.mostValues else {
      throw RegistryFault(what: "too many values, or too many inside each other")
    }
    guard (0..<objectCount).contains(number) else { throw Self.fault }
    let start = Self.integer(bytes, tableStart + number * offsetSize, offsetSize)
    guard (Self.magic.count..<tableStart).contains(start) else { throw Self.fault }
    return LocatedValue(content: try content(start, level))
  }

  private mutating func content(_ start: Int, _ level: Int) throws(RegistryFault) -> LocatedValue.Content {
    let low = bytes[start] & 0x0F
    switch (bytes[start] >> 4, low) {
    case (0, 8): return .flag(false)
    case (0, 9): return .flag(true)
    case (1, 0...4): return .number(try wholeNumber(start + 1, size: 1 << Int(low)))
    case (2, 2): return .number(Double(Float(bitPattern: UInt32(truncatingIfNeeded: try bits(start + 1, 4)))))
    case (2, 3): return .number(Double(bitPattern: try bits(start + 1, 8)))
    case (3, _): return .other("a date")
    case (4, _): return .other("data")
    case (5, _): return .text(String(decoding: try payload(start, size: 1), as: UTF8.self))
    case (6, _):
      let units = try payload(start, size: 2)
      let pairs = stride(from: units.startIndex, to: units.endIndex, by: 2)
      return .text(String(decoding: pairs.map { UInt16(units[$0]) << 8 | UInt16(units[$0 + 1]) }, as: UTF16.self))
    case (10, _): return .list(try elements(start, level))
    case (13, _): return .table(try members(start, level))
    default: return .other("something that no property list should have")
    }
  }

  private func bits(_ start: Int, _ size: Int) throws(RegistryFault) -> UInt64 {
    guard size <= tableStart - start else { throw Self.fault }
    return bytes[start..<start + size].reduce(0) { $0 << 8 | UInt64($1) }
  }

  /// Integers of 8 bytes are signed, shorter ones are not; of 16 bytes the lower half counts.
  private func wholeNumber(_ start: Int, size: Int) throws(RegistryFault) -> Double {
    let value = try bits(start, size)
    return size == 8 ? Double(Int64(bitPattern: value)) : Double(value)
  }

  /// How many elements an object has, and where they begin: a count of 15 is followed by the count as an integer.
  private func extent(_ start: Int) throws(RegistryFault) -> (count: Int, start: Int) {
    let low = Int(bytes[start] & 0x0F)
    guard low == 15 else { return (low, start + 1) }
    guard start + 1 < tableStart, bytes[start + 1] >> 4 == 1, bytes[start + 1] & 0x0F <= 3 else { throw Self.fault }
    let size = 1 << Int(bytes[start + 1] & 0x0F)
    guard let count = Int(exactly: try bits(start + 2, size)) else { throw Self.fault }
    return (count, start + 2 + size)
  }

  private func payload(_ start: Int, size: Int) throws(RegistryFault) -> ArraySlice<UInt8> {
    let (count, first) = try extent(start)
    guard count <= (tableStart - first) / size else { throw Self.fault }
    return bytes[first..<first + count * size]
  }

  private func reference(_ payload: ArraySlice<UInt8>, _ number: Int) -> Int {
    Self.integer(bytes, payload.startIndex + number * referenceSize, referenceSize)
  }

  private mutating func elements(_ start: Int, _ level: Int) throws(RegistryFault) -> [LocatedValue] {
    let references = try payload(start, size: referenceSize)
    var elements: [LocatedValue] = []
    for number in 0..<references.count / referenceSize {
      elements.append(try object(reference(references, number), level: level + 1))
    }
    return elements
  }

  /// All keys, then all values.
  private mutating func members(_ start: Int, _ level: Int) throws(RegistryFault) -> [LocatedValue.Member] {
    let references = try payload(start, size: 2 * referenceSize)
    let count = references.count / referenceSize / 2
    var members: [LocatedValue.Member] = []
    for number in 0..<count {
      guard case .text(let key) = try object(reference(references, number), level: level + 1).content else {
        throw RegistryFault(what: "a key of a dictionary is no string")
      }
      members.append(
        LocatedValue.Member(key: key, value: try object(reference(references, count + number), level: level + 1)))
    }
    return members
  }
}
