/// The lifecycle's handle inside the program: an address for operators that reloads, and answers with what came of it.
import Mediator

func answerToReload(_ lifecycle: Lifecycle) async -> (status: Int, text: String) {
  switch await lifecycle.reload() {
  case .reloaded(let generation, let duration): (200, "generation \(generation), after \(duration)")
  case .failed(let error): (409, "nothing has changed: \(error)")
  case .droppedByStop: (503, "the service stops")
  }
}
