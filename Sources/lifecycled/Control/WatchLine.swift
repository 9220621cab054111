/// One line of `lifecycled watch` for each thing that happens: when, what, why, how long it took and what came of it.
struct WatchLine: Equatable, Sendable {
  private enum Colour: String {
    case red = "31"
    case green = "32"
    case yellow = "33"
    case bold = "1"
    case dim = "2"
  }

  /// Without the time, escaped.
  private let text: String
  private let colour: Colour?
  private let realtimeUSec: UInt64

  private init(_ happening: ControlReplies.Happening) {
    let (words, colour) = Self.words(of: happening)
    let kind = Self.names[happening.kind] ?? happening.kind
    // A kind of a later version may have a name of any length.
    text = TerminalText(kind).filled(to: 8) + "  " + words.map { TerminalText($0).text }.joined(separator: "  ")
    self.colour = colour
    realtimeUSec = happening.realtimeUSec
  }

  /// - Parameter time: says the time of day of seconds since 1970, as "15:33:12".
  static func text(
    _ happening: ControlReplies.Happening, hasColour: Bool, time: (UInt64) -> String = TimeOfDay.text
  ) -> String {
    WatchLine(happening).rendered(hasColour: hasColour, time: time)
  }

  private func rendered(hasColour: Bool, time: (UInt64) -> String) -> String {
    let milliseconds = realtimeUSec / 1_000 % 1_000
    let padded = String(repeating: "0", count: milliseconds < 10 ? 2 : milliseconds < 100 ? 1 : 0) + "\(milliseconds)"
    let moment = "\(time(realtimeUSec / 1_000_000)).\(padded)"
    guard hasColour, let colour else { return "\(moment)  \(text)" }
    return "\(moment)  \u{1B}[\(colour.rawValue)m\(text)\u{1B}[0m"
  }

  private static let names = ["reloadFailed": "reload", "reloadDropped": "reload", "reloaded": "reload"]

  private static func words(of happening: ControlReplies.Happening) -> ([String], Colour?) {
    let event = happening.event ?? ""
    let reason = happening.reason.map { "(\($0))" } ?? ""
    let took = happening.durationUSec.map(TimeSpan.brief)
    let failure = happening.failure
    switch happening.kind {
    case "state": return ([happening.state ?? ""], .bold)
    case "began": return (["\(event) \(reason)", happening.origin.map { "by \($0.words)" }].compactMap(\.self), .dim)
    case "ended":
      let isCancelled = happening.cancelled == true
      return (
        ["\(event) \(reason)", took, isCancelled ? "cancelled" : nil].compactMap(\.self), isCancelled ? .yellow : nil
      )
    case "failed": return ([failure?.words ?? ""], failure?.required == false ? .yellow : .red)
    case "unwell":
      return (["\(failure?.listener ?? ""): \(failure?.message ?? "")"], failure?.required == false ? .yellow : .red)
    case "reloaded": return (["generation \(happening.generation ?? 0)", took].compactMap(\.self), .green)
    case "reloadFailed": return (["failed: \(failure?.words ?? happening.text ?? "")"], .red)
    case "reloadDropped": return (["dropped by the stop"], .yellow)
    case "signal": return ([happening.origin?.words ?? ""], nil)
    case "scene":
      let scene = happening.scene
      return (["\(scene?.id ?? "") (\(scene?.kind ?? ""))", scene?.state ?? ""], nil)
    case "finished": return (["exit status \(happening.exitStatus ?? 0)"], .bold)
    default: return ([happening.text ?? ""], nil)
    }
  }
}
