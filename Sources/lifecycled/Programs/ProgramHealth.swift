internal import Mediator

/// Whether one program is well; a listener of its own, so that programs without a check cost no timer.
final class ProgramHealth: HealthChecking {
  let name: String
  private let listener: ProgramListener

  init(of listener: ProgramListener) {
    name = listener.name
    self.listener = listener
  }

  var entry: ListenerEntry { listener.definition.isRequired ? required() : optional() }

  func checkHealth() async throws {
    if let trouble = await listener.program?.trouble {
      throw LifecycleError(.listenerFailed, listener: name, message: trouble)
    }
  }
}
