/// How the answers of all listeners to a question become one.
public struct Combiner<Answer: Sendable, Output: Sendable>: Sendable {
  enum Way: Sendable {
    /// One after the other, in registration order.
    case inOrder(merge: @Sendable ([Answer]) -> Output)
    /// All at once, until the time is over.
    case gathered(within: Duration, onTimeout: Answer, merge: @Sendable ([Answer]) -> Output)
  }

  let way: Way

  /// Folds the answers, in registration order, into one value.
  public static func fold(_ initial: Output, _ step: @escaping @Sendable (Output, Answer) -> Output) -> Self {
    Self(way: .inOrder { $0.reduce(initial, step) })
  }

  /// Asks all at once, and merges what was answered in time.
  ///
  /// Without anybody to ask it merges nothing at once.
  ///
  /// - Parameters:
  ///   - within: how long answers are waited for.
  ///   - onTimeout: stands for each answer that did not come, or failed.
  ///   - merge: gets the answers in registration order, whatever the order they came in.
  public static func gather(
    within: Duration, onTimeout: Answer, _ merge: @escaping @Sendable ([Answer]) -> Output
  ) -> Self {
    Self(way: .gathered(within: within, onTimeout: onTimeout, merge: merge))
  }
}

extension Combiner where Answer == Bool, Output == Bool {
  /// Whether all say yes; every one is asked, also after a no.
  ///
  /// Without anybody to ask: yes.
  public static var all: Self { fold(true) { $0 && $1 } }

  /// Whether any says yes; every one is asked, also after a yes.
  ///
  /// Without anybody to ask: no.
  public static var any: Self { fold(false) { $0 || $1 } }
}

extension Combiner {
  /// The answer of the last one that has one; nil when nobody has.
  public static func lastNonDefault<Wrapped: Sendable>() -> Self where Answer == Wrapped?, Output == Wrapped? {
    Self(way: .inOrder { answers in answers.last { $0 != nil } ?? nil })
  }

  /// The last answer that differs from the default; the default when none does.
  public static func lastNonDefault(_ defaultAnswer: Answer) -> Self where Answer: Equatable, Output == Answer {
    Self(way: .inOrder { answers in answers.last { $0 != defaultAnswer } ?? defaultAnswer })
  }
}
