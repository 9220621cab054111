/// (b) What one post to N listeners costs, beside an array of closures and beside plain NotificationCenter.
import CMeasure
import Foundation

enum Posts {
  /// One round runs each subject for about this long, so that the clock's own cost does not count.
  private static let roundNanoseconds = 50_000.0

  /// Every round measures all subjects, one after the other: what the machine does meanwhile meets them alike.
  static func measure(listeners count: Int, rounds: Int) {
    let subjects = Subject.kinds.compactMap { Subject($0, listeners: count) }
    let times = subjects.map { subject in
      subject.post()
      var once = Sample()
      once.add(3, subject.post)
      return max(1, min(2000, Int(roundNanoseconds / max(1, once.median))))
    }
    var samples = [Sample](repeating: Sample(), count: subjects.count)
    for _ in 0..<rounds {
      for index in subjects.indices { samples[index].add(times[index], subjects[index].post) }
    }
    for (subject, sample) in zip(subjects, samples) {
      say(
        "post",
        [
          "kind": "\"\(subject.kind)\"", "listeners": "\(count)", "nanoseconds": sample.median.json,
          "ratio": sample.ratios(to: samples[0]).json,
          "toObservers": (samples[samples.count - 1].ratios(to: sample)).json,
          "allocations": allocations(subject.post).json,
        ])
    }
  }

  /// Allocations of one post, once warm.
  static func allocations(_ post: () -> Void) -> Double {
    let posts = 20
    measure_allocations(true)
    let before = measure_allocation_count()
    for _ in 0..<posts { post() }
    let count = measure_allocation_count() - before
    measure_allocations(false)
    return Double(count) / Double(posts)
  }

  /// For an instruction counter, which sees the posts alone, once warm.
  static func run(_ kind: String, listeners count: Int, posts: Int) -> Bool {
    guard let subject = Subject(kind, listeners: count) else { return false }
    for _ in 0..<5 { subject.post() }
    guard measure_instructions(true) else { return false }
    for _ in 0..<posts { subject.post() }
    return measure_instructions(false)
  }
}
