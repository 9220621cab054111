internal import Mediator

/// What one datagram of sd_notify(3) says, read from its raw bytes as systemd reads it.
///
/// An assignment stands on a line of its own; LF and CR end lines. A flag counts wherever exactly its line stands, of
/// a value that is given twice the first counts, also if it is not valid. Keys that are not known say nothing.
struct NotifyMessage: Hashable, Sendable {
  /// What a message says of the program's state; where it says more than one thing, the strongest.
  enum Change: Hashable, Sendable {
    case stopping
    case ready
    case reloading
    /// RELOADING=1 and READY=1 in one message: a whole reload.
    case reloaded
  }

  /// Bytes of a message.
  static let limit = 4096

  var isReady = false
  var isReloading = false
  var isStopping = false
  /// Safe to show and to send on: one line of at most 512 bytes, with control characters and bad bytes as escapes.
  var status: String?
  /// Never negative.
  var errno: Int32?
  /// A D-Bus error name.
  var busError: String?
  var pingsWatchdog = false
  /// WATCHDOG=trigger: the program asks to be treated as if its pings had ended.
  var triggersWatchdog = false
  /// µs.
  var extendTimeout: UInt64?
  /// µs.
  var watchdogInterval: UInt64?
  /// µs on CLOCK_MONOTONIC.
  var monotonic: UInt64?
  /// MAINPID= is there, whatever its value.
  var claimsMainProcess = false
  /// BARRIER=1, which is then all that the message says.
  var isBarrier = false
  var storesDescriptors = false
  var removesDescriptors = false
  /// false with FDPOLL=0: they stay stored when their other side is gone.
  var pollsDescriptors = true
  var descriptorName: String?

  /// nil for what is dropped whole: more than `limit` bytes, a zero but as the last byte, BARRIER=1 that is not alone.
  init?(_ bytes: [UInt8], isTruncated: Bool) {
    guard bytes.count <= Self.limit, !isTruncated else { return nil }
    let text = bytes.last == 0 ? bytes.dropLast() : bytes[...]
    guard !text.contains(0) else { return nil }
    var (start, count, seen) = (text.startIndex, 0, UInt32(0))
    for index in text.startIndex...text.endIndex {
      guard index == text.endIndex || text[index] == 0x0A || text[index] == 0x0D else { continue }
      if index > start {
        count += 1
        take(text[start..<index], &seen)
      }
      start = index + 1
    }
    if isBarrier, count > 1 { return nil }
  }

  var change: Change? {
    if isStopping { return .stopping }
    if isReady { return isReloading ? .reloaded : .ready }
    return isReloading ? .reloading : nil
  }
}

extension NotifyMessage {
  private enum Key: String, CaseIterable {
    case ready = "READY"
    case reloading = "RELOADING"
    case stopping = "STOPPING"
    case status = "STATUS"
    case errno = "ERRNO"
    case busError = "BUSERROR"
    case watchdog = "WATCHDOG"
    case extendTimeout = "EXTEND_TIMEOUT_USEC"
    case watchdogInterval = "WATCHDOG_USEC"
    case monotonic = "MONOTONIC_USEC"
    case mainProcess = "MAINPID"
    case barrier = "BARRIER"
    case store = "FDSTORE"
    case remove = "FDSTOREREMOVE"
    case name = "FDNAME"
    case poll = "FDPOLL"

    static let table = allCases.map { (key: $0, name: Array($0.rawValue.utf8)) }

    var isFlag: Bool {
      switch self {
      case .ready, .reloading, .stopping, .barrier, .store, .remove: true
      default: false
      }
    }
  }

  private mutating func take(_ line: ArraySlice<UInt8>, _ seen: inout UInt32) {
    guard let equals = line.firstIndex(of: UInt8(ascii: "=")) else { return }
    let name = line[..<equals]
    guard let index = Key.table.firstIndex(where: { $0.name.count == name.count && $0.name.elementsEqual(name) }) else {
      return
    }
    let (key, value) = (Key.table[index].key, line[(equals + 1)...])
    if key.isFlag {
      if value.elementsEqual("1".utf8) { raise(key) }
    } else if seen & 1 << index == 0 {
      seen |= 1 << index
      set(key, value)
    }
  }

  private mutating func raise(_ key: Key) {
    switch key {
    case .ready: isReady = true
    case .reloading: isReloading = true
    case .stopping: isStopping = true
    case .barrier: isBarrier = true
    case .store: storesDescriptors = true
    case .remove: removesDescriptors = true
    default: break
    }
  }

  private mutating func set(_ key: Key, _ value: ArraySlice<UInt8>) {
    switch key {
    case .status: status = StatusText.clean(Escaped.text(value))
    case .errno: errno = Self.number(value)
    case .busError: busError = Self.isErrorName(value) ? String(decoding: value, as: UTF8.self) : nil
    case .watchdog:
      pingsWatchdog = value.elementsEqual("1".utf8)
      triggersWatchdog = value.elementsEqual("trigger".utf8)
    case .extendTimeout: extendTimeout = Self.number(value)
    case .watchdogInterval: watchdogInterval = Self.number(value)
    case .monotonic: monotonic = Self.number(value)
    case .mainProcess: claimsMainProcess = true
    case .poll: pollsDescriptors = !value.elementsEqual("0".utf8)
    case .name: descriptorName = Self.isDescriptorName(value) ? String(decoding: value, as: UTF8.self) : nil
    default: break
    }
  }

  /// Decimal digits and nothing else; nil for what the type does not hold.
  private static func number<Number: FixedWidthInteger>(_ digits: ArraySlice<UInt8>) -> Number? {
    guard !digits.isEmpty else { return nil }
    var result: Number = 0
    for byte in digits {
      guard case UInt8(ascii: "0")...UInt8(ascii: "9") = byte else { return nil }
      let (product, isTooLarge) = result.multipliedReportingOverflow(by: 10)
      let (sum, isTooLargeNow) = product.addingReportingOverflow(Number(byte - UInt8(ascii: "0")))
      if isTooLarge || isTooLargeNow { return nil }
      result = sum
    }
    return result
  }

  /// As sd_listen_fds_with_names(3) has them.
  private static func isDescriptorName(_ bytes: ArraySlice<UInt8>) -> Bool {
    bytes.count <= 255 && bytes.allSatisfy { $0 >= 0x20 && $0 < 0x7F && $0 != UInt8(ascii: ":") }
  }

  /// Two or more parts between dots, as the D-Bus specification has it.
  private static func isErrorName(_ bytes: ArraySlice<UInt8>) -> Bool {
    guard bytes.count <= 255, bytes.contains(UInt8(ascii: ".")) else { return false }
    var isFirst = true
    for byte in bytes {
      switch byte {
      case UInt8(ascii: "."):
        if isFirst { return false }
        isFirst = true
      case UInt8(ascii: "0")...UInt8(ascii: "9"):
        if isFirst { return false }
      case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "_"):
        isFirst = false
      default: return false
      }
    }
    return !isFirst
  }
}
