/// What the methods of `io.lifecycled.Control` answer, decoded; the interface itself says what each field means.
enum ControlReplies {
  struct State: Decodable, Equatable, Sendable {
    /// As `LifecycleState` spells it.
    var state: String
    var ready: Bool
    var alive: Bool
    var generation: UInt64
    var status: String
    var pauses: [String]
    var failures: [Failure]
    var unwell: [Failure]
    var product: String
    var version: String
    var pid: Int32
    /// µs on the clock of `nowUSec`.
    var startUSec: UInt64
    var nowUSec: UInt64
    /// When this state began, and why; not every version says it.
    var sinceUSec: UInt64?
    var reason: String?
    /// Of the last reload, until one succeeds.
    var reloadFailure: Failure?
    var logLevel: String?
  }

  struct Failure: Decodable, Equatable, Sendable {
    var listener: String
    var event: String
    var required: Bool
    var timeout: Bool
    var message: String
    var errno: Int32?
  }

  struct Listeners: Decodable, Equatable, Sendable {
    var listeners: [Listener]
    var scenes: [Scene]
  }

  struct Listener: Decodable, Equatable, Sendable {
    var name: String
    var state: String
    var required: Bool
    var groups: [String]
    var capabilities: [String]
    var durations: [CallDuration]
  }

  struct CallDuration: Decodable, Equatable, Sendable {
    var event: String
    var durationUSec: UInt64
  }

  struct Scene: Decodable, Equatable, Sendable {
    var id: String
    var kind: String
    var state: String
  }

  struct Reload: Decodable, Equatable, Sendable {
    var generation: UInt64
    var durationUSec: UInt64
    var changes: Changes?
  }

  struct Changes: Decodable, Equatable, Sendable {
    var added: [String]
    var removed: [String]
    var changed: [String]
    var restarted: [String]
    var needRestart: [String]
  }

  /// Of Background and Foreground.
  struct Arrival: Decodable, Equatable, Sendable { var state: String }

  struct Stop: Decodable, Equatable, Sendable { var exitStatus: Int32 }

  struct Subscribe: Decodable, Equatable, Sendable { var happening: Happening }

  struct Happening: Decodable, Equatable, Sendable {
    /// As `HappeningKind` of the interface spells it; later versions may add some.
    var kind: String
    var realtimeUSec: UInt64
    var state: String?
    var event: String?
    var reason: String?
    var origin: Origin?
    var transition: UInt64?
    var durationUSec: UInt64?
    var cancelled: Bool?
    var failure: Failure?
    var generation: UInt64?
    var scene: Scene?
    var exitStatus: Int32?
    var text: String?
  }

  struct Origin: Decodable, Equatable, Sendable {
    /// As `OriginKind` of the interface spells it.
    var kind: String
    var signal: Int32?
    var pid: Int32?
    var uid: UInt32?
    var scene: String?
  }

  /// One answer of several.
  struct Trace: Decodable, Equatable, Sendable {
    var lost: UInt64
    var startUSec: UInt64
    var nowUSec: UInt64
    var entries: [TraceEntry]
  }

  struct TraceEntry: Decodable, Equatable, Sendable {
    var number: UInt64
    /// event, call, notify or signal.
    var kind: String
    var name: String
    var event: String?
    var reason: String?
    var origin: Origin?
    var transition: UInt64?
    var count: Int
    var beginUSec: UInt64
    var durationUSec: UInt64?
    /// ok, failed, timedOut, cancelled or open.
    var result: String
    var text: String?
  }
}
