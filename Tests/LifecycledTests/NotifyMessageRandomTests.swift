import Foundation
import Mediator
import MediatorTestKit
import Testing

@testable import lifecycled

/// Reads a message slowly, with strings of one scalar a byte, to be compared with.
private struct SlowMessage {
  private var lines: [String] = []

  init?(_ bytes: [UInt8], isTruncated: Bool) {
    var scalars = bytes.map { Unicode.Scalar($0) }
    if isTruncated || scalars.count > 4096 { return nil }
    if scalars.last == "\0" { scalars.removeLast() }
    if scalars.contains("\0") { return nil }
    lines = scalars.split { $0 == "\n" || $0 == "\r" }.map { scalars in
      var view = String.UnicodeScalarView()
      view.append(contentsOf: scalars)
      return String(view)
    }
    if lines.contains("BARRIER=1"), lines != ["BARRIER=1"] { return nil }
  }

  private func value(_ key: String) -> String? {
    lines.first { $0.utf8.starts(with: "\(key)=".utf8) }.map { line in
      String(String.UnicodeScalarView(line.unicodeScalars.dropFirst(key.count + 1)))
    }
  }

  private func number<Number: FixedWidthInteger>(_ key: String) -> Number? {
    value(key).flatMap { $0.allSatisfy { ("0"..."9").contains($0) && $0.utf8.count == 1 } ? Number($0) : nil }
  }

  private func name(_ key: String, _ pattern: String) -> String? {
    value(key).flatMap { $0.range(of: "\\A(?:\(pattern))\\z", options: .regularExpression) == nil ? nil : $0 }
  }

  var message: NotifyMessage {
    var message = NotifyMessage([], isTruncated: false)!
    message.isReady = lines.contains("READY=1")
    message.isReloading = lines.contains("RELOADING=1")
    message.isStopping = lines.contains("STOPPING=1")
    message.isBarrier = lines.contains("BARRIER=1")
    message.storesDescriptors = lines.contains("FDSTORE=1")
    message.removesDescriptors = lines.contains("FDSTOREREMOVE=1")
    let status = value("STATUS").map { $0.unicodeScalars.map { UInt8($0.value) } }
    message.status = status.map { StatusText.clean(Escaped.text($0)) }
    message.errno = number("ERRNO")
    message.busError = name("BUSERROR", "(?=.{0,255}\\z)[A-Za-z_][A-Za-z0-9_]*(?:\\.[A-Za-z_][A-Za-z0-9_]*)+")
    message.pingsWatchdog = value("WATCHDOG") == "1"
    message.triggersWatchdog = value("WATCHDOG") == "trigger"
    message.extendTimeout = number("EXTEND_TIMEOUT_USEC")
    message.watchdogInterval = number("WATCHDOG_USEC")
    message.monotonic = number("MONOTONIC_USEC")
    message.claimsMainProcess = value("MAINPID") != nil
    message.pollsDescriptors = value("FDPOLL") != "0"
    message.descriptorName = name("FDNAME", "[ -9;-~]{0,255}")
    return message
  }
}

/// Whatever the bytes, a message is read as a slow reader reads it.
///
/// `MEDIATOR_RANDOM_ROUNDS` says how many messages there are for each seed.
@Suite("Random messages", .timeLimit(.minutes(60)))
struct NotifyMessageRandomTests {
  private static let rounds =
    ProcessInfo.processInfo.environment["MEDIATOR_RANDOM_ROUNDS"].flatMap { Int($0) } ?? 5_000

  private static let pieces: [[UInt8]] =
    [
      "READY", "RELOADING", "STOPPING", "STATUS", "ERRNO", "BUSERROR", "WATCHDOG", "EXTEND_TIMEOUT_USEC",
      "WATCHDOG_USEC", "MONOTONIC_USEC", "MAINPID", "BARRIER", "FDSTORE", "FDSTOREREMOVE", "FDNAME", "FDPOLL", "X",
      "READY=1",
      "STATUS=", "ERRNO=", "RELOADING=1\n", "STOPPING=1\r", "\nBARRIER=1\n", "FDSTORE=1", "WATCHDOG=1",
      "WATCHDOG=trigger", "BUSERROR=a.b", "FDNAME=db",
    ].map { Array($0.utf8) }
  private static let values: [[UInt8]] =
    [
      "1", "0", "=", "==", " ", "\t", "-1", "+1", "trigger", "2147483647", "2147483648", "18446744073709551615",
      "18446744073709551616", "99999999999999999999999", "a.b", ".", ":", "org.freedesktop.Error", "é", "日",
      "\u{1B}[2J",
      "\u{202E}", String(repeating: "x", count: 250), String(repeating: "ü", count: 300), "\r\n", "\n\n",
    ].map { Array($0.utf8) } + [[0xFF], [0xC3], [0x9B], [0xED, 0xA0, 0x80], [0xF0, 0x9F]]

  private static func input(_ generator: inout SplitMix64) -> [UInt8] {
    var bytes: [UInt8] = []
    for _ in 0..<Int.random(in: 0...6, using: &generator) {
      bytes += pieces.randomElement(using: &generator)!
      if Int.random(in: 0..<8, using: &generator) != 0 { bytes.append(UInt8(ascii: "=")) }
      for _ in 0..<Int.random(in: 0...2, using: &generator) { bytes += values.randomElement(using: &generator)! }
      if Int.random(in: 0..<16, using: &generator) != 0 { bytes.append(Bool.random(using: &generator) ? 0x0A : 0x0D) }
    }
    if !bytes.isEmpty, Int.random(in: 0..<4, using: &generator) == 0 {
      bytes[Int.random(in: 0..<bytes.count, using: &generator)] = UInt8.random(in: 0...255, using: &generator)
    }
    if Int.random(in: 0..<16, using: &generator) == 0 { bytes.append(0) }
    if Int.random(in: 0..<64, using: &generator) == 0 {
      let length = Int.random(in: 4090...4100, using: &generator)
      bytes += [UInt8](repeating: UInt8(ascii: "y"), count: max(0, length - bytes.count))
    }
    return bytes
  }

  @Test("Every message is read as the slow reader reads it", arguments: [1, 2, 3] as [UInt64])
  func same(seed: UInt64) {
    var generator = SplitMix64(state: seed)
    for _ in 0..<Self.rounds {
      let bytes = Self.input(&generator)
      let isTruncated = Int.random(in: 0..<256, using: &generator) == 0
      let message = NotifyMessage(bytes, isTruncated: isTruncated)
      let expected = SlowMessage(bytes, isTruncated: isTruncated)?.message
      // #expect costs more than the reading.
      if message != expected { Issue.record("\(bytes): \(String(describing: message))") }
      if let status = message?.status, status.utf8.count > 512 || StatusText.clean(status) != status {
        Issue.record("\(bytes): status \(status)")
      }
    }
  }
}
