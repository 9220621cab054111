internal import Mediator
internal import MediatorBridge

/// JSON that somebody typed, before it is sent.
enum ControlPayload {
  static func isObject(_ text: String) -> Bool {
    let bytes = Array(text.utf8)
    guard !bytes.contains(0) else { return false }
    return ((try? JSONScanner.members(of: bytes[...])) ?? nil) != nil
  }
}
