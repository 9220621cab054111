import Foundation
import Testing

@testable import lifecycled

/// The files that Debian ships are the reader's widest test: none of them may have a fault.
@Suite("Units that distributions ship", .timeLimit(.minutes(5)))
struct ShippedUnitsTests {
  private static let suffixes: Set<String> = [
    "service", "socket", "target", "timer", "mount", "automount", "path", "slice", "network", "netdev", "link", "swap",
    "scope", "nspawn", "dnssd", "conf",
  ]

  /// This machine's, and what a colon-separated MEDIATOR_UNIT_ROOTS names.
  private static let roots: [String] = {
    let named = ProcessInfo.processInfo.environment["MEDIATOR_UNIT_ROOTS"] ?? ""
    return ["/usr/lib/systemd", "/lib/systemd"] + named.split(separator: ":").map(String.init)
  }()

  @Test(
    "Every unit and .conf under a folder of systemd is read with no fault, but for what is written for others",
    arguments: roots)
  func readsAll(root: String) throws {
    // A root given by hand has to exist; a machine need not have systemd.
    let isGiven = !["/usr/lib/systemd", "/lib/systemd"].contains(root)
    let folder = URL(fileURLWithPath: root).resolvingSymlinksInPath().path
    guard let names = FileManager.default.enumerator(atPath: folder) else {
      if isGiven { Issue.record("\(root) cannot be read") }
      return
    }
    var count = 0
    for case let name as String in names where Self.suffixes.contains((name as NSString).pathExtension) {
      // Written for resolv.conf(5) and ssh_config(5), not for systemd.
      if (name as NSString).lastPathComponent == "resolv.conf" || name.hasPrefix("ssh_config.d/") { continue }
      let path = "\(folder)/\(name)"
      guard let data = FileManager.default.contents(atPath: path) else { continue }
      count += 1
      let (_, faults) = UnitReader.read(Array(data), file: path)
      for fault in faults { Issue.record("\(fault)") }
    }
    if isGiven { #expect(count > 0, "there is no unit under \(root)") }
  }
}
