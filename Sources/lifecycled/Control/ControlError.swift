internal import Mediator
internal import MediatorBridge

/// An error that the daemon answered, in words for people.
struct ControlError {
  let text: String

  /// - Parameters:
  ///   - name: with its interface.
  ///   - parameters: as they came.
  init(_ name: String, _ parameters: JSONPiece) {
    let members = ((try? JSONScanner.members(of: parameters.bytes)) ?? nil) ?? []
    func value(_ key: String) -> String { members.first { $0.key == key }?.value.string ?? "" }
    let words =
      switch name {
      case "io.lifecycled.Control.ReloadFailed": "the reload failed: \(value("listener")): \(value("message"))"
      case "io.lifecycled.Control.Stopping": "it stops"
      case "io.lifecycled.Control.Superseded": "somebody asked for the opposite"
      case "io.lifecycled.Control.RequestRefused": "\(value("listener")) refuses it: \(value("reason"))"
      case "io.lifecycled.Control.RequestUnclaimed": "nobody there takes \(value("verb").quoted)"
      case "io.lifecycled.Control.TraceOff": "it keeps no trace"
      case "org.varlink.service.PermissionDenied": "only root and its own user may do that"
      case "org.varlink.service.InvalidParameter": "it does not accept the \(value("parameter"))"
      case "org.varlink.service.MethodNotImplemented": "it cannot do that"
      default: "it answers \(name)"
      }
    text = Escaped.text(words)
  }
}
