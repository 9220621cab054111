internal import Mediator
internal import MediatorBridge

/// Whether the signals that hooks name can ever reach them.
enum SignalMeaning {
  /// A warning for each hook and signal that has another meaning, which goes before.
  static func findings(_ hooks: [HookUnit], _ settings: LifecycledSettings) -> Findings {
    var findings = Findings()
    for hook in hooks {
      for number in hook.signals {
        guard let meaning = meaning(of: number, settings), let file = hook.files.first else { continue }
        let name = SignalName.name(of: number)
        findings.warn(
          in: file, "this hook never runs on signal:\(name): that signal \(meaning)",
          advice: "Signal=\(name):event in lifecycled.conf makes it an event")
      }
    }
    return findings
  }

  /// nil for an event, or none.
  private static func meaning(of number: Int32, _ settings: LifecycledSettings) -> String? {
    let signal = SignalNumber(number)
    switch BridgeSettings(settings).signals[signal] ?? SignalMap.meaning(of: signal) {
    case .reload: return "reloads"
    case .stop: return "stops the service"
    case .pause: return "pauses the service"
    case .resume: return "resumes the service"
    case .ignore: return "is ignored"
    case .default: return "is left alone"
    case .event, nil: return nil
    }
  }
}
