extension Lifecycle {
  /// Asks all listeners that answer the question, and returns what their answers make together.
  ///
  /// Those who fail, or take longer than their entry's `timeout`, are reported and left out. Cancelling the calling
  /// task cancels those who are answering.
  public func ask<Answer, Output>(_ query: LifecycleQuery<Answer, Output>) async -> Output {
    let answerers = mediators.flatMap { $0.answerers(of: query.id) }
    switch query.combiner.way {
    case .inOrder(let merge):
      var answers: [Answer] = []
      for answerer in answerers {
        if let answer = await answer(of: answerer, as: Answer.self, within: answerer.timeout) { answers.append(answer) }
      }
      return merge(answers)
    case .gathered(let within, let onTimeout, let merge):
      if answerers.isEmpty { return merge([]) }
      return merge(await gather(answerers, within: within).map { $0 ?? onTimeout })
    }
  }

  /// All at once; nil for each answer that did not come in time.
  private func gather<Answer: Sendable>(_ answerers: [Registration], within limit: Duration) async -> [Answer?] {
    await withTaskGroup(of: (Int, Answer?).self) { group in
      for (index, answerer) in answerers.enumerated() {
        group.addTask {
          let limit = min(limit, answerer.timeout ?? limit)
          return (index, await self.answer(of: answerer, as: Answer.self, within: limit))
        }
      }
      var answers = [Answer?](repeating: nil, count: answerers.count)
      for await (index, answer) in group { answers[index] = answer }
      return answers
    }
  }

  /// nil when it failed, or did not come in time; then it is cancelled, and not waited for.
  private func answer<Answer: Sendable>(
    of answerer: Registration, as type: Answer.Type, within limit: Duration?
  ) async -> Answer? {
    guard let body = (answerer.listener as? QueryAnswerer)?.body else { return nil }
    let result = await call(within: limit, body)
    switch result {
    case .success(let answer): return answer as? Answer
    case .failure(let error):
      hub.send(
        .answerFailed(listener: answerer.name, message: ListenerFailure.words(of: error)))
      return nil
    }
  }
}

extension LifecycleMediator {
  func answerers(of question: QueryAnswerer.Question) -> [Registration] {
    state.withLock({ $0.list }).all.filter { registration in
      guard registration.abilities.contains(.answers), !registration.isStuck else { return false }
      return (registration.listener as? QueryAnswerer)?.question == question
    }
  }
}
