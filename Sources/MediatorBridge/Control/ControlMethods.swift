internal import Foundation
internal import Glibc
internal import Mediator

/// What the methods of a control socket do: a call in, its answers out. Runs on the loop and waits for nothing.
struct ControlMethods: Sendable {
  /// How a call begins.
  enum Begun: Sendable {
    case answered(VarlinkReply)
    /// The parts of the answer, by number, are made one after the other.
    case telling(@Sendable (Int) -> VarlinkReply?)
    /// The answer is handed over when it is there.
    case later
    /// More answers come, one for each happening, until the peer leaves.
    case following(VarlinkReply)
    case awaitingStop
  }

  typealias Answer = @Sendable (VarlinkReply) -> Void

  static let service = "org.varlink.service"
  /// Of the trace, so that a part of it is soon made.
  private static let entriesAtOnce = 64

  let lifecycle: Lifecycle
  let facts: ControlFacts
  let clock = ControlClock()
  /// Calls back when all that was said to the manager has left.
  let afterNotices: @Sendable (_ done: @escaping @Sendable () -> Void) -> Void

  func begin(_ call: VarlinkCall, from origin: LifecycleOrigin, maySteer: Bool, _ answer: @escaping Answer) -> Begun {
    let parts = call.method.split(separator: ".", omittingEmptySubsequences: false)
    let interface = parts.dropLast().joined(separator: ".")
    guard let last = parts.last, parts.count > 1, [Self.service, ControlInterface.name].contains(interface) else {
      return .answered(Self.error("InterfaceNotFound") { $0.member("interface", interface) })
    }
    guard let method = ControlMethod(rawValue: String(last)), method.isOfService == (interface == Self.service) else {
      return .answered(Self.error("MethodNotFound") { $0.member("method", call.method) })
    }
    if !method.onlyReads, !maySteer { return .answered(Self.error("PermissionDenied")) }
    let unknown = call.parameters.keys.sorted().first { !method.parameters.contains($0) }
    if let name = call.repeated ?? unknown { return .answered(Self.invalid(name)) }
    if call.wantsUpgrade {
      return .answered(Self.error("MethodNotImplemented") { $0.member("method", call.method) })
    }
    if method.wantsMore, !call.wantsMore { return .answered(Self.error("ExpectedMore")) }
    return begin(method, call, origin, answer)
  }

  private func begin(
    _ method: ControlMethod, _ call: VarlinkCall, _ origin: LifecycleOrigin, _ answer: @escaping Answer
  ) -> Begun {
    switch method {
    case .getInfo: return .answered(info)
    case .getInterfaceDescription: return .answered(description(call))
    case .getState: return .answered(state)
    case .getListeners: return .answered(listeners)
    case .getTrace: return trace
    case .subscribe: return .following(happening { $0.state(lifecycle.state) })
    case .setLogLevel: return .answered(setLogLevel(call))
    case .stop:
      lifecycle.requestStop(from: origin)
      return .awaitingStop
    case .reload:
      lifecycle.reload(from: origin) { [self] outcome in afterNotices { answer(reply(to: outcome)) } }
    case .background:
      lifecycle.pause(.operator, from: origin) { [self] result in answer(arrival(result)) }
    case .foreground:
      lifecycle.resume(.operator, from: origin) { [self] result in answer(arrival(result)) }
    case .request:
      switch request(call, origin) {
      case .success(let request): lifecycle.send(request) { answer(Self.reply(to: $0, request)) }
      case .failure(let parameter): return .answered(Self.invalid(parameter.name))
      }
    }
    return .later
  }

  // MARK: org.varlink.service

  private var info: VarlinkReply {
    VarlinkReply { json in
      json.member("vendor", "lifecycled")
      json.member("product", facts.product)
      json.member("version", facts.version)
      json.member("url", "")
      json.member("interfaces", [ControlInterface.name, Self.service])
    }
  }

  private func description(_ call: VarlinkCall) -> VarlinkReply {
    guard let name = call.parameters["interface"]?.string else { return Self.invalid("interface") }
    switch name {
    case ControlInterface.name: return VarlinkReply { $0.member("description", ControlInterface.description) }
    case Self.service: return VarlinkReply { $0.member("description", ControlInterface.service) }
    default: return Self.error("InterfaceNotFound") { $0.member("interface", name) }
    }
  }

  private static func error(_ name: String, _ parameters: (inout JSONWriter) -> Void = { _ in }) -> VarlinkReply {
    VarlinkReply(error: "\(service).\(name)", parameters)
  }

  private static func invalid(_ parameter: String) -> VarlinkReply {
    error("InvalidParameter") { $0.member("parameter", parameter) }
  }

  private static func refusal(_ name: String, _ parameters: (inout JSONWriter) -> Void = { _ in }) -> VarlinkReply {
    VarlinkReply(error: "\(ControlInterface.name).\(name)", parameters)
  }

  // MARK: Reading

  private var state: VarlinkReply {
    let standing = lifecycle.standing
    return VarlinkReply { json in
      json.member("state", standing.state.rawValue)
      json.member("ready", standing.isReady)
      json.member("alive", standing.isAlive)
      json.member("generation", standing.generation)
      json.member("reason", standing.reason.rawValue)
      json.member("sinceUSec", standing.since.map(clock.microseconds) ?? clock.start)
      json.member("status", standing.status)
      if let failure = standing.reloadFailure { json.member("reloadFailure") { $0.failure(failure) } }
      json.member("pauses", standing.pauses.map(\.rawValue))
      json.member("failures") { $0.array(standing.failures) { $0.failure($1) } }
      json.member("unwell") { $0.array(standing.unwell) { $0.failure($1) } }
      json.member("product", facts.product)
      json.member("version", facts.version)
      json.member("pid", getpid())
      json.member("startUSec", clock.start)
      json.member("nowUSec", clock.now)
      json.member("logLevel", facts.logLevel?.get())
    }
  }

  private var listeners: VarlinkReply {
    VarlinkReply { json in
      json.member("listeners") { $0.array(lifecycle.listenerSnapshots) { $0.listener($1) } }
      json.member("scenes") { json in
        json.array(lifecycle.scenes) { $0.scene(id: $1.id, kind: $1.kind, $1.state) }
      }
    }
  }

  private var trace: Begun {
    guard let trace = lifecycle.trace else { return .answered(Self.refusal("TraceOff")) }
    let (entries, lost, clock) = (trace.entries, trace.droppedCount, clock)
    return .telling { part in
      let first = part * Self.entriesAtOnce
      guard first < max(entries.count, 1) else { return nil }
      let end = min(first + Self.entriesAtOnce, entries.count)
      return VarlinkReply(continues: end < entries.count) { json in
        json.member("lost", lost)
        json.member("startUSec", clock.start)
        json.member("nowUSec", clock.now)
        json.member("entries") { $0.array(entries[first..<end]) { $0.entry($1, clock) } }
      }
    }
  }

  private func setLogLevel(_ call: VarlinkCall) -> VarlinkReply {
    guard let logLevel = facts.logLevel else {
      return Self.error("MethodNotImplemented") { $0.member("method", call.method) }
    }
    guard let level = call.parameters["level"]?.string, logLevel.set(level) else { return Self.invalid("level") }
    return VarlinkReply()
  }

  // MARK: Steering

  private func reply(to outcome: ReloadOutcome) -> VarlinkReply {
    switch outcome {
    case .reloaded(let generation, let duration):
      return VarlinkReply { json in
        json.member("generation", generation)
        json.member("durationUSec", duration.microseconds)
        if let changes = facts.changes(generation) { json.member("changes") { $0.changes(changes) } }
      }
    case .failed(let error):
      return Self.refusal("ReloadFailed") { json in
        json.member("listener", error.listener ?? "")
        json.member("message", error.message)
        json.member("errno", error.errno)
      }
    case .droppedByStop: return Self.refusal("Stopping")
    }
  }

  private func arrival(_ result: Result<Void, LifecycleError>) -> VarlinkReply {
    switch result {
    case .success: VarlinkReply { $0.member("state", lifecycle.state.rawValue) }
    case .failure(let error): Self.refusal(error.code == .superseded ? "Superseded" : "Stopping")
    }
  }

  private struct Parameter: Error { var name: String }

  private func request(_ call: VarlinkCall, _ origin: LifecycleOrigin) -> Result<LifecycleRequest, Parameter> {
    func given(_ name: String) -> JSONPiece? { call.parameters[name].flatMap { $0.isNull ? nil : $0 } }
    var texts: [String: String] = [:]
    for name in ["verb", "url"] {
      guard let piece = given(name) else { continue }
      guard let text = piece.string, !text.isEmpty else { return .failure(Parameter(name: name)) }
      texts[name] = text
    }
    let url = texts["url"].flatMap { URL(string: $0) }
    if texts["url"] != nil, url?.scheme == nil { return .failure(Parameter(name: "url")) }
    guard let verb = texts["verb"] ?? url.map({ _ in "open" }) else { return .failure(Parameter(name: "verb")) }
    let payload = given("payload")
    if payload?.isObject == false { return .failure(Parameter(name: "payload")) }
    return .success(LifecycleRequest(verb, url: url, payload: Data(payload?.bytes ?? []), origin: origin))
  }

  private static func reply(to result: RequestResult, _ request: LifecycleRequest) -> VarlinkReply {
    switch result {
    case .handled(let listener, let data):
      let bytes = Array(data)
      let isText = String(validating: bytes, as: UTF8.self) != nil
      let isObject = isText && ((try? JSONScanner.members(of: bytes[...])) ?? nil) != nil
      return VarlinkReply { json in
        json.member("listener", listener)
        if isObject {
          // A line end inside is no part of the value, and a zero byte cannot be.
          json.member("result") { $0.raw(bytes) }
        } else if !bytes.isEmpty {
          json.member("text", String(decoding: bytes, as: UTF8.self))
        }
      }
    case .refused(let listener, let reason):
      return refusal("RequestRefused") { json in
        json.member("listener", listener)
        json.member("reason", reason)
      }
    case .unclaimed: return refusal("RequestUnclaimed") { $0.member("verb", request.verb) }
    }
  }

  // MARK: What happens

  func stopped(_ exitStatus: Int32) -> VarlinkReply {
    VarlinkReply { $0.member("exitStatus", facts.exitStatus(exitStatus)) }
  }

  func finished(_ exitStatus: Int32) -> VarlinkReply {
    happening(continues: false) { json in
      json.member("kind", "finished")
      json.member("exitStatus", facts.exitStatus(exitStatus))
    }
  }

  /// Tells each report, as an answer to Subscribe, on whatever thread it comes.
  func observe(_ tell: @escaping @Sendable (VarlinkReply) -> Void) -> UInt64 {
    lifecycle.hub.observe { [self] report in
      // The last one has its own way, right before the connections end.
      if case .finished = report { return }
      tell(happening { $0.report(report) })
    }
  }

  func endObserving(_ observing: UInt64) { lifecycle.hub.endObserving(observing) }

  private func happening(continues: Bool = true, _ members: (inout JSONWriter) -> Void) -> VarlinkReply {
    VarlinkReply(continues: continues) { json in
      json.member("happening") { json in
        json.object { json in
          members(&json)
          json.member("realtimeUSec", UInt64(max(0, Date().timeIntervalSince1970) * 1_000_000))
        }
      }
    }
  }
}
