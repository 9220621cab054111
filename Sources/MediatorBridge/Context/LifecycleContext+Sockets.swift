public import Mediator

/// The sockets that the service manager passed to the process (`sd_listen_fds_with_names(3)`): those that it has opened,
/// and those that an earlier run has kept.
extension LifecycleContext {
  static let taken = ContextKey<Set<Int32>>("mediator.sockets.taken", default: [])
  /// Names of kept sockets that nobody took.
  static let letGo = ContextKey<Set<String>>("mediator.sockets.let-go", default: [])

  /// Takes the one socket of a name: from here on it is the caller's, who closes it.
  ///
  /// It is closed on exec, and blocks unless `NonBlocking=` of systemd.service(5) or the caller says otherwise.
  /// `start.sockets` and `start.keptSockets` tell which names there are, so that a program can open its own when there
  /// are none. A socket unit's goes before one of the same name that an earlier run has kept.
  ///
  /// - Parameters:
  ///   - name: `FileDescriptorName=` of the socket unit, by default the unit's own name such as `echo.socket`; or what
  ///     an earlier run called it in `keepSocket(_:as:)`.
  ///   - kind: what it has to be.
  /// - Throws: `.socket`, which says what there is instead.
  public func takeSocket(_ name: String, as kind: SocketKind) throws(LifecycleError) -> Int32 {
    let count = start.sockets[name]?.count ?? 0
    guard count < 2 else {
      throw LifecycleError(
        .socket, message: "there are \(count) sockets named \(name)", advice: "take all of them: takeSockets")
    }
    return try takeSockets(name, as: kind)[0]
  }

  /// Takes all sockets of a name, in the order of the unit's lines; there is at least one.
  ///
  /// - Parameters:
  ///   - name: as in `takeSocket(_:as:)`.
  ///   - kind: what each of them has to be.
  /// - Throws: `.socket`, which says what there is instead; none of them is taken then.
  public func takeSockets(_ name: String, as kind: SocketKind) throws(LifecycleError) -> [Int32] {
    let sockets = start.sockets[name] ?? start.keptSockets[name].map { [$0] } ?? []
    guard !sockets.isEmpty else { throw missing(name) }
    if start.sockets[name] == nil, self[Self.letGo].contains(name) {
      throw LifecycleError(
        .socket, message: "the socket \(name) was let go: nobody had taken it when the start ended",
        advice: "take it in didFinishLaunching")
    }
    if let wrong = sockets.first(where: { !kind.matches($0) }) {
      let words = kind.words
      throw LifecycleError(
        .socket, message: "the socket \(name), descriptor \(wrong), is not \(words.name)",
        advice: "write \(words.line) into the socket unit")
    }
    let areFree = update(Self.taken) { taken in
      let areFree = taken.isDisjoint(with: sockets)
      if areFree { taken.formUnion(sockets) }
      return areFree
    }
    guard areFree else {
      throw LifecycleError(
        .socket, message: "the socket \(name) was taken before", advice: "keep what takeSocket returned")
    }
    return sockets
  }

  private func missing(_ name: String) -> LifecycleError {
    let names = Set(start.sockets.keys).union(start.keptSockets.keys).sorted().joined(separator: ", ")
    guard !names.isEmpty else {
      return LifecycleError(
        .socket, message: "there is no socket named \(name): the service manager passed none at all",
        advice: "start the service with its socket unit")
    }
    return LifecycleError(
      .socket, message: "there is no socket named \(name), but \(names)",
      advice: "write FileDescriptorName=\(name) into the socket unit")
  }
}
