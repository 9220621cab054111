/// The interface that a control socket speaks, as org.varlink.service describes it to whoever asks.
enum ControlInterface {
  static let name = "io.lifecycled.Control"

  static let description = """
    # The life of one daemon: where it stands, what its listeners do, and how it is steered. Root and the daemon's own
    # user may call every method; others, as far as they reach the socket, the four that only read: GetState,
    # GetListeners, GetTrace and Subscribe. Times are in µs. Moments are on a clock that goes on while the machine
    # sleeps and whose zero means nothing: nowUSec is its now. Text is as the daemon has it: it may hold any
    # character.
    interface io.lifecycled.Control

    # Where the daemon stands. While it is reloading it goes on serving.
    type State (notStarted, starting, foreground, reloading, background, stopping, stopped)

    # How far a listener has come.
    type ListenerState (waiting, started, foreground, background, failed, ended, stuck)

    # Where a scene stands, which is a part with a life of its own: a supervised program, a tenant.
    type SceneState (connecting, foreground, background, disconnecting, disconnected, discarded)

    # The levels of syslog(3), most urgent first.
    type LogLevel (emerg, alert, crit, err, warning, notice, info, debug)

    # What a listener failed with, in which event, and the number of errno(3) if it has one.
    type Failure (listener: string, event: string, required: bool, timeout: bool, message: string, errno: ?int)

    # How long a listener took when it was last told of an event.
    type CallDuration (event: string, durationUSec: int)

    # A listener: the groups that it is in, the outermost first, and what its abilities let the daemon do.
    type Listener (
      name: string,
      state: ListenerState,
      required: bool,
      groups: []string,
      capabilities: []string,
      durations: []CallDuration
    )

    type Scene (id: string, kind: string, state: SceneState)

    # Who asked: a signal with its number and sender, the service manager, the program itself, a peer of this socket,
    # a scene.
    type OriginKind (signal, manager, embedder, foreignPost, control, scene, system)

    type Origin (kind: OriginKind, signal: ?int, pid: ?int, uid: ?int, scene: ?string)

    # What a reload has changed, by the names of hooks and programs. What stands in needRestart takes effect at the
    # next start of the daemon.
    type Changes (
      added: []string,
      removed: []string,
      changed: []string,
      restarted: []string,
      needRestart: []string
    )

    # What a message of Subscribe is about. state: where the daemon stands, first of all and at each change; began,
    # ended: an event; failed: a listener; unwell: a health check; reloaded, reloadFailed, reloadDropped: the end of a
    # reload; signal: one arrived; request: one has its result; scene: one moved; finished: the end; note: anything
    # else, in text.
    type HappeningKind (
      state,
      began,
      ended,
      failed,
      unwell,
      reloaded,
      reloadFailed,
      reloadDropped,
      signal,
      request,
      scene,
      finished,
      note
    )

    # One thing that happened. What does not belong to its kind is left out. realtimeUSec is on CLOCK_REALTIME;
    # transition numbers an event from its beginning to its end.
    type Happening (
      kind: HappeningKind,
      realtimeUSec: int,
      state: ?State,
      event: ?string,
      reason: ?string,
      origin: ?Origin,
      transition: ?int,
      durationUSec: ?int,
      cancelled: ?bool,
      failure: ?Failure,
      generation: ?int,
      scene: ?Scene,
      exitStatus: ?int,
      text: ?string
    )

    # What an entry of the trace is about. event: from its post until everybody has finished; call: of one listener in
    # an event; state: where the daemon stood, until the next one; notify: a message to the service manager; signal:
    # one that arrived.
    type TraceKind (event, call, state, notify, signal)

    # open: it has not ended yet.
    type TraceResult (ok, failed, timedOut, cancelled, open)

    # An entry of the trace. number counts from 1 and has no gaps but for what was lost; name is that of the event or
    # of the listener, the state, the number of the signal, or the lines of the message; event and transition say to
    # which event a call belongs; count: how often the same message was sent in a row, for durationUSec; text says why
    # it failed.
    type TraceEntry (
      number: int,
      kind: TraceKind,
      name: string,
      event: ?string,
      reason: ?string,
      origin: ?Origin,
      transition: ?int,
      count: int,
      beginUSec: int,
      durationUSec: ?int,
      result: TraceResult,
      text: ?string
    )

    # Where the daemon stands, why, and since when. status is what is going on, in words; ready: it takes work and no
    # required listener is unwell; alive: it does not stop and no required listener is unwell; pauses: who holds it in
    # the background; reloadFailure: of the newest reload. startUSec is when its lifecycle began, nowUSec is now.
    method GetState() -> (
      state: State,
      ready: bool,
      alive: bool,
      generation: int,
      reason: string,
      sinceUSec: int,
      status: string,
      reloadFailure: ?Failure,
      pauses: []string,
      failures: []Failure,
      unwell: []Failure,
      product: string,
      version: string,
      pid: int,
      startUSec: int,
      nowUSec: int,
      logLevel: ?LogLevel
    )

    # All listeners in order, and the scenes in the order in which they came.
    method GetListeners() -> (listeners: []Listener, scenes: []Scene)

    # Reloads, and answers when the service manager was told of the end. Callers that wait together share one reload
    # that began after their calls. A reload goes on if its caller leaves.
    method Reload() -> (generation: int, durationUSec: int, changes: ?Changes)

    # Goes to the background and answers when it is there.
    method Background() -> (state: State)

    # Ends what Background began. The daemon stays in the background while somebody else holds it there.
    method Foreground() -> (state: State)

    # Stops, and answers when everybody has stopped; the process exits right after. All callers get the one result.
    method Stop() -> (exitStatus: int)

    # Offers a request to the listeners: a verb, or a URL to open if no verb is given. While the daemon starts it is
    # kept, and offered once after the start. A result that is a JSON object comes as such, any other as text.
    method Request(verb: ?string, url: ?string, payload: ?object) -> (listener: string, result: ?object, text: ?string)

    # Tells what happens from now on; to be called with "more". A client that does not read is cut off.
    method Subscribe() -> (happening: Happening)

    # The newest entries of the trace, oldest first, in several answers; to be called with "more". lost: how many
    # older ones are gone.
    method GetTrace() -> (lost: int, startUSec: int, nowUSec: int, entries: []TraceEntry)

    # How much the daemon logs, until the next start, or a reload with another level.
    method SetLogLevel(level: LogLevel) -> ()

    # The old generation stays in force: a listener refused the new one.
    error ReloadFailed (listener: string, message: string, errno: ?int)

    # A stop came first, or is on its way.
    error Stopping ()

    # Somebody asked for the opposite first.
    error Superseded ()

    # A listener refused the request, and says why.
    error RequestRefused (listener: string, reason: string)

    # No listener took the request.
    error RequestUnclaimed (verb: string)

    # This daemon keeps no trace.
    error TraceOff ()

    """

  /// As varlink.org has it.
  static let service = """
    # What every Varlink service can tell of itself.
    interface org.varlink.service

    method GetInfo() -> (vendor: string, product: string, version: string, url: string, interfaces: []string)

    method GetInterfaceDescription(interface: string) -> (description: string)

    error InterfaceNotFound (interface: string)

    error MethodNotFound (method: string)

    error MethodNotImplemented (method: string)

    error InvalidParameter (parameter: string)

    error PermissionDenied ()

    error ExpectedMore ()

    """
}
