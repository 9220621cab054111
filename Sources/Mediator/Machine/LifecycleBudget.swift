/// What has a time limit as a whole.
package enum LifecycleBudget: String, Hashable, Sendable, CaseIterable {
  case start
  case reload
  /// The way back from a reload that took too long: to revert, and to the foreground.
  case recovery
  case stop
  /// What a stop keeps of its time for those who have not been told when somebody has used up the rest.
  case remainder
  /// What a second stop signal leaves for those who are to be told; the rest is kept as in any stop.
  case hastened
  /// What is left at the very end for whoever was cancelled there to return, or to be named.
  case last
}
