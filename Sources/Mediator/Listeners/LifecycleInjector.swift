/// Collects entries before there is a lifecycle, and hands them once, in order, to the one that takes them.
///
/// For libraries that bring a listener of their own: `LifecycleInjector.shared.register(…)`. The bridge takes what
/// `shared` holds; a second lifecycle does not get it again.
public final class LifecycleInjector: Sendable {
  /// Names one entry of one injector, for `remove`.
  public struct Token: Hashable, Sendable {
    let number: UInt64
  }

  private struct State {
    var waiting: [(token: Token, entry: ListenerEntry)] = []
    var delivered: [Token: LifecycleMediator.Token] = [:]
    /// Taken out while they were being delivered.
    var removed: Set<Token> = []
    weak var taker: LifecycleMediator?
    var nextToken: UInt64 = 0
  }

  /// The process's own.
  public static let shared = LifecycleInjector()

  private let state = Locked(State())

  /// Makes an injector, for instance in a test.
  public init() {}

  /// Adds an entry behind those that were registered before.
  ///
  /// When a lifecycle has taken the others already and still lives, the entry is added to it, and brought to the state
  /// that it is in.
  ///
  /// - Returns: what takes the entry out again, before and after a lifecycle has taken it.
  @discardableResult
  public func register(_ entry: ListenerEntry) -> Token {
    let (token, taker) = state.withLock { state in
      state.nextToken += 1
      let token = Token(number: state.nextToken)
      if state.taker == nil { state.waiting.append((token, entry)) }
      return (token, state.taker)
    }
    if let taker {
      let (registered, bringing) = taker.addLater(entry)
      if let registered { state.withLock { $0.delivered[token] = registered } }
      bringing()
    }
    return token
  }

  /// Adds a listener behind those that were registered before; see `register(_:)` of an entry.
  @discardableResult
  public func register(_ listener: some LifecycleListener) -> Token { register(ListenerEntry(listener)) }

  /// Takes an entry out: before it was taken it reaches nobody, afterwards it gets its own stop.
  public func remove(_ token: Token) async {
    let delivered: (LifecycleMediator, LifecycleMediator.Token)? = state.withLock { state in
      let count = state.waiting.count
      state.waiting.removeAll { $0.token == token }
      guard count == state.waiting.count, let taker = state.taker else { return nil }
      guard let delivered = state.delivered.removeValue(forKey: token) else {
        state.removed.insert(token)
        return nil
      }
      return (taker, delivered)
    }
    if let (taker, delivered) = delivered { await taker.remove(delivered) }
  }

  /// Hands everything that waits to a mediator that is being made.
  func deliver(to mediator: LifecycleMediator) {
    let waiting: [(token: Token, entry: ListenerEntry)]? = state.withLock { state in
      guard state.taker == nil else { return nil }
      state.taker = mediator
      state.delivered = [:]
      defer { state.waiting = [] }
      return state.waiting
    }
    for (token, entry) in waiting ?? [] {
      guard let (registered, _) = mediator.insert(entry, before: nil) else { continue }
      let isRemoved = state.withLock { state in
        guard state.removed.remove(token) == nil else { return true }
        state.delivered[token] = registered
        return false
      }
      if isRemoved { _ = mediator.takeOut(registered) }
    }
  }
}
