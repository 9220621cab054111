/// Closures and jobs in the one order in which they came, and whether their thread sleeps.
internal import Synchronization

/// One piece of work for an executor's thread.
enum Work: Sendable {
  case closure(@Sendable () -> Void)
  case job(UnownedJob)
}

/// A plain value: the executor that owns it keeps it behind a lock.
struct WorkQueue: Sendable {
  /// What whoever appended has to do after the lock is released.
  enum Wake: Sendable { case nothing, thread, lateThread }

  private var items: [Work?] = []
  private var head = 0
  private var awake = false
  private(set) var stopping = false
  /// The executor's own thread has ended; what still comes gets a short-lived one.
  private(set) var finished = false

  var count: Int { items.count - head }

  mutating func append(_ work: Work) -> Wake {
    items.append(work)
    return wake()
  }

  mutating func stop() -> Wake {
    if finished { return .nothing }
    stopping = true
    return wake()
  }

  private mutating func wake() -> Wake {
    if awake { return .nothing }
    awake = true
    return finished ? .lateThread : .thread
  }

  mutating func next() -> Work? {
    guard head < items.count else { return nil }
    let work = items[head]
    items[head] = nil
    head += 1
    if head == items.count {
      items.removeAll(keepingCapacity: head <= 1024)
      head = 0
    } else if head >= 1024, head * 2 >= items.count {
      items.removeFirst(head)
      head = 0
    }
    return work
  }

  /// Next piece of work; nil once the thread may sleep, or end if `finished` is now true.
  mutating func nextOrSleep() -> Work? {
    if let work = next() { return work }
    awake = false
    if stopping { finished = true }
    return nil
  }

  /// True when nothing is left and the thread may sleep, or end if that is what it is about to do.
  ///
  /// A `stop` that came after the thread had looked whether to end found it awake and did not wake it: then the
  /// thread must not sleep either, or nobody ever would.
  mutating func sleepIfEmpty(ending: Bool) -> Bool {
    guard count == 0, ending || !stopping else { return false }
    awake = false
    if ending { finished = true }
    return true
  }
}
