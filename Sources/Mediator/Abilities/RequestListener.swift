/// A listener that answers requests: a URL or a verb, from a control peer or the program itself.
///
/// Listeners are asked in registration order until one takes or refuses the request. A throw refuses it.
public protocol RequestListener: LifecycleListener {
  /// Takes, refuses or declines a request.
  func answer(_ request: LifecycleRequest) async throws -> RequestAnswer
}
