/// A folder in which a test's bus and mock of logind lie, and that goes with it.
internal import Foundation

final class MockFolder: Sendable {
  let path: String

  init() throws {
    path = "\(NSTemporaryDirectory())/logind-mock-\(UInt32.random(in: 0 ... .max))"
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
  }

  deinit { try? FileManager.default.removeItem(atPath: path) }

  func write(_ name: String, _ text: String) throws -> String {
    let file = "\(path)/\(name)"
    try text.write(toFile: file, atomically: true, encoding: .utf8)
    return file
  }
}
