public import Foundation

/// Somebody asks the service for something: a URL to open, or a verb, with a payload.
public struct LifecycleRequest: Hashable, Sendable {
  /// What is asked for; `open` for a URL.
  public var verb: String
  /// The URL to open, if it is one.
  public var url: URL?
  /// What goes with it, in the form that the verb wants; JSON from a control peer.
  public var payload: Data
  /// Who asks.
  public var origin: LifecycleOrigin

  /// Makes a request of a verb.
  public init(_ verb: String, url: URL? = nil, payload: Data = Data(), origin: LifecycleOrigin = .embedder) {
    self.verb = verb
    self.url = url
    self.payload = payload
    self.origin = origin
  }

  /// Asks to open a URL; the verb is `open`.
  public init(opening url: URL, payload: Data = Data(), origin: LifecycleOrigin = .embedder) {
    self.init("open", url: url, payload: payload, origin: origin)
  }

  /// Somebody started the program once more: the one that runs comes to the front.
  public static let reopen = LifecycleRequest("reopen")
}

/// What one listener says to a request.
public enum RequestAnswer: Hashable, Sendable {
  /// It is done, with this result; nobody else is asked.
  case taken(Data)
  /// It is mine, and I will not do it, because; nobody else is asked.
  case refused(String)
  /// It is not mine: ask the next one.
  case declined
}

/// What came of a request.
public enum RequestResult: Hashable, Sendable {
  /// The first listener that took it, and its result.
  case handled(by: String, Data)
  /// The first listener that refused it, and why.
  case refused(by: String, String)
  /// Nobody took it.
  case unclaimed
}
