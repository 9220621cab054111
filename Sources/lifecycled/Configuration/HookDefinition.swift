/// What a hook does, whatever file and line said so; two equal definitions are the same hook to a reload.
struct HookDefinition: Sendable, Equatable {
  struct EnvironmentSource: Sendable, Equatable {
    var path: String
    /// Written with a leading `-`: the file may be missing.
    var mayBeMissing: Bool
  }

  /// The file name with its suffix, which gives the order.
  var name: String
  var events: [HookEvent] = []
  /// Of `On=signal:NAME`, by their numbers.
  var signals: [Int32] = []
  /// nil where `Reason=` is not written.
  var reasons: [HookReason]?
  var commands: [HookCommand] = []
  var timeout = TimeSpan.seconds(30)
  /// From the beginning of one health check to that of the next, at least.
  var interval = TimeSpan.seconds(10)
  var isRequired = true
  var user: String?
  var group: String?
  var workingDirectory: String?
  /// A later one of the same name wins.
  var environment: [EnvironmentVariable] = []
  /// Read when the hook runs, after `environment`, in this order.
  var environmentFiles: [EnvironmentSource] = []
  /// What `After=` names, as written: hooks and programs, with or without suffix. The configuration has the order.
  var after: [String] = []

  var checksHealth: Bool { events.contains(.health) }

  /// Whether the machine is to wait for it: it names sleep or the end of it, or its reason.
  var waitsForSleep: Bool {
    let names = events.contains(.sleep) || events.contains(.wake)
    let passes = events.contains(.background) || events.contains(.foreground)
    return names || passes && (reasons?.contains(.sleep) ?? false)
  }

  /// As what it runs when that happens, once; nil where it does not.
  func event(for event: HookEvent, reason: HookReason) -> HookEvent? {
    if reason == .sleep, let sleep = event.inSleep, runs(on: sleep, reason: reason) { return sleep }
    return runs(on: event, reason: reason) ? event : nil
  }

  func runs(on event: HookEvent, reason: HookReason) -> Bool {
    events.contains(event) && (event.isBeside || (reasons ?? event.defaultReasons).contains(reason))
  }
}
