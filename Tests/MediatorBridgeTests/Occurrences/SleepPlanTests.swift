import Testing

@testable import MediatorBridge

@Suite("What is done about the machine's sleep", .timeLimit(.minutes(5)))
struct SleepPlanTests {
  typealias Step = (SleepPlan.Input, [SleepPlan.Effect])

  private static let sleeps = SleepPlan.Input.announced(.sleep, isComing: true)
  private static let wakes = SleepPlan.Input.announced(.sleep, isComing: false)
  private static let goesDown = SleepPlan.Input.announced(.shutdown, isComing: true)
  private static let staysUp = SleepPlan.Input.announced(.shutdown, isComing: false)
  /// The lock is held, and listeners are on their way to the background.
  private static let pausing: [Step] = [
    (.connected, [.takeLock]), (.lockTaken, []), (sleeps, [.pause(1), .arm(.patience)]),
  ]
  private static let asleep: [Step] = pausing + [(.settled(1), [.disarm(.patience), .dropLock])]

  private func check(_ steps: [Step], sourceLocation: SourceLocation = #_sourceLocation) {
    var plan = SleepPlan()
    for (number, (input, expected)) in steps.enumerated() {
      let effects = plan.handle(input)
      #expect(effects == expected, "\(number): \(input)", sourceLocation: sourceLocation)
    }
  }

  @Test("the lock is let go only in the background, and taken again afterwards")
  func sleep() {
    for (comes, goes) in [(Self.sleeps, Self.wakes), (Self.goesDown, Self.staysUp)] {
      check([
        (.connected, [.takeLock]), (.lockTaken, []), (comes, [.pause(1), .arm(.patience)]),
        (.settled(1), [.disarm(.patience), .dropLock]), (goes, [.resume, .takeLock]), (.lockTaken, []),
        (comes, [.pause(2), .arm(.patience)]), (.settled(1), []), (.settled(2), [.disarm(.patience), .dropLock]),
      ])
    }
  }

  @Test("when logind's patience is over the lock goes too, which is told, and what settles later changes nothing")
  func overdue() {
    check(
      Self.pausing + [
        (.overdue(.patience), [.reportOverdue, .disarm(.patience), .dropLock]), (.settled(1), []),
        (Self.wakes, [.resume, .takeLock]), (.overdue(.patience), []),
      ])
  }

  @Test("a sleep that is called off in the middle resumes, and keeps the lock")
  func calledOff() {
    check(
      Self.pausing + [
        (Self.wakes, [.disarm(.patience), .resume]), (.settled(1), []), (Self.sleeps, [.pause(2), .arm(.patience)]),
        (.settled(2), [.disarm(.patience), .dropLock]),
      ])
  }

  @Test("a sleep on the way to a shutdown is one pause, which ends with both")
  func both() {
    check(
      Self.pausing + [
        (Self.goesDown, []), (.settled(1), [.disarm(.patience), .dropLock]), (Self.wakes, []),
        (Self.staysUp, [.resume, .takeLock]),
      ])
  }

  @Test("without a lock listeners are told all the same, and nobody has waited")
  func refused() {
    check([
      (.connected, [.takeLock]), (.lockRefused, []), (Self.sleeps, [.pause(1), .arm(.patience)]),
      (.settled(1), [.disarm(.patience)]), (Self.wakes, [.resume, .takeLock]), (.lockRefused, []),
      (Self.sleeps, [.pause(2), .arm(.patience)]), (.overdue(.patience), [.disarm(.patience)]),
    ])
  }

  @Test("a lock that comes when the service is in the background already is let go at once")
  func late() {
    check([
      (.connected, [.takeLock]), (Self.sleeps, [.pause(1), .arm(.patience)]), (.settled(1), [.disarm(.patience)]),
      (.lockTaken, [.dropLock]), (Self.wakes, [.resume, .takeLock]),
    ])
    check([
      (.connected, [.takeLock]), (Self.sleeps, [.pause(1), .arm(.patience)]), (.lockTaken, []),
      (.settled(1), [.disarm(.patience), .dropLock]),
    ])
  }

  @Test("when logind goes in a sleep the service stays in the background until one that is there again says it is over")
  func lost() {
    check(
      Self.asleep + [
        (.disconnected, [.arm(.silence)]), (.disconnected, []), (.connected, [.takeLock]),
        (Self.wakes, [.disarm(.silence), .resume]), (.lockTaken, []), (.overdue(.silence), []),
      ])
    check(
      Self.pausing + [
        (.disconnected, [.disarm(.patience), .dropLock, .arm(.silence)]), (.settled(1), []), (.connected, [.takeLock]),
        (.lockRefused, []), (Self.sleeps, [.disarm(.silence)]), (Self.wakes, [.resume, .takeLock]),
      ])
  }

  @Test("when nobody says for long whether it is over, it is")
  func silence() {
    check(
      Self.asleep + [
        (.disconnected, [.arm(.silence)]), (.overdue(.silence), [.disarm(.silence), .resume]),
        (.connected, [.takeLock]), (Self.wakes, []),
      ])
  }

  @Test("logind that goes and comes while the machine is awake costs the lock, and gives one")
  func restarted() {
    check([
      (.disconnected, []), (.connected, [.takeLock]), (.disconnected, []), (.connected, [.takeLock]), (.lockTaken, []),
      (.disconnected, [.dropLock]), (.connected, [.takeLock]), (Self.wakes, []), (Self.staysUp, []),
    ])
  }

  @Test("when nobody wants to know any more the lock goes, and a pause ends")
  func closed() {
    check([(.closed, [])])
    check([(.connected, [.takeLock]), (.lockTaken, []), (.closed, [.dropLock]), (.connected, [.takeLock])])
    check(Self.pausing + [(.closed, [.disarm(.patience), .dropLock, .resume]), (.settled(1), [])])
    check(Self.asleep + [(.closed, [.resume])])
    check(Self.asleep + [(.disconnected, [.arm(.silence)]), (.closed, [.disarm(.silence), .resume])])
  }

  @Test("what is said twice counts once")
  func twice() {
    check([
      (.connected, [.takeLock]), (.connected, []), (.lockTaken, []), (Self.wakes, []),
      (Self.sleeps, [.pause(1), .arm(.patience)]), (Self.sleeps, []), (.settled(1), [.disarm(.patience), .dropLock]),
      (.settled(1), []), (.overdue(.patience), []), (Self.wakes, [.resume, .takeLock]), (Self.wakes, []),
    ])
  }

  @Test(
    "whatever comes in whatever order, one lock at most is asked for at a time, and every pause is followed by a resume"
  )
  func random() {
    let inputs: [SleepPlan.Input] = [
      .connected, .disconnected, .lockTaken, .lockRefused, Self.sleeps, Self.wakes, Self.goesDown, Self.staysUp,
      .overdue(.patience), .overdue(.silence), .closed,
    ]
    var generator = SystemRandomNumberGenerator()
    for _ in 0..<300 {
      var plan = SleepPlan()
      var (isPaused, hasLock, isAsked, armed) = (false, false, false, Set<SleepPlan.Timer>())
      for _ in 0..<200 {
        var input = inputs.randomElement(using: &generator)!
        // An answer comes to a question alone, and a timer that was armed.
        if input == .lockTaken || input == .lockRefused {
          guard isAsked else { continue }
          (isAsked, hasLock) = (false, input == .lockTaken)
        }
        if case .overdue(let timer) = input {
          guard armed.contains(timer) else { continue }
          if timer == .patience, Bool.random(using: &generator) { input = .settled(plan.pauses) }
        }
        if input == .disconnected || input == .closed { isAsked = false }
        for effect in plan.handle(input) {
          switch effect {
          case .takeLock:
            #expect(!isAsked && !hasLock)
            isAsked = true
          case .dropLock:
            #expect(hasLock)
            hasLock = false
          case .pause:
            #expect(!isPaused)
            isPaused = true
          case .resume:
            #expect(isPaused)
            isPaused = false
          case .arm(let timer): armed.insert(timer)
          case .disarm(let timer): #expect(armed.remove(timer) != nil)
          case .reportOverdue: #expect(hasLock)
          }
        }
      }
      // Awake, and logind there: whatever was, the service serves.
      for input in [SleepPlan.Input.connected, Self.wakes, Self.staysUp] {
        if plan.handle(input).contains(.resume) { isPaused = false }
      }
      #expect(!isPaused)
    }
  }

  @Test(
    "the lock goes a little before logind's patience ends, and is never kept for ever",
    arguments: [
      (0, .zero), (1_000_000, .milliseconds(900)), (5_000_000, .milliseconds(4_500)),
      (60_000_000, .milliseconds(59_500)),
      (.max, .milliseconds(3_599_500)),
    ] as [(UInt64, Duration)])
  func patience(microseconds: UInt64, expected: Duration) {
    #expect(SleepSource.patience(microseconds: microseconds) == expected)
  }
}
