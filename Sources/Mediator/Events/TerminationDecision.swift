/// What a listener says when a stop is asked for; the strictest answer of all counts.
public enum TerminationDecision: Hashable, Sendable {
  /// The stop may begin.
  case now
  /// The stop may begin after this time; it begins sooner when the stop's own time would not suffice.
  case later(Duration)
  /// The service is to go on, for the reason that is given.
  ///
  /// It counts for `Lifecycle.requestTermination()` and for idle exit; what a signal, the manager or `stop()` asks for
  /// happens all the same.
  case cancel(String)

  /// The stricter of two: cancel before later, the longer before the shorter.
  package func stricter(_ other: TerminationDecision) -> TerminationDecision {
    switch (self, other) {
    case (.cancel, _): self
    case (_, .cancel): other
    case (.later(let mine), .later(let others)): mine >= others ? self : other
    case (.later, .now): self
    case (.now, _): other
    }
  }

  /// How long a stop that cannot be cancelled is put off.
  package var delay: Duration {
    if case .later(let delay) = self { max(delay, .zero) } else { .zero }
  }
}
