import Mediator
import MediatorTestKit
import Testing

@Suite("The state machine holds its invariants", .serialized, .timeLimit(.minutes(5)))
struct LifecycleStateMachineClosureTests {
  struct Situation: Hashable {
    var machine = LifecycleStateMachine()
    var invariants = Invariants()

    /// Feeds an input; what is wrong, if anything is.
    mutating func feed(_ input: LifecycleInput) -> String? {
      let before = machine
      let effects = machine.handle(input)
      return invariants.check(input, effects, before: before, after: machine)
    }

    /// Numbers that only grow would make every state new; they decide nothing.
    var withoutCounters: Situation {
      var copy = self
      copy.machine.forgetCounters()
      return copy
    }
  }

  static let origin = LifecycleOrigin.embedder

  /// Which abilities the listeners have.
  struct Abilities: Sendable, CustomStringConvertible {
    var reload = false
    /// A say in the stop, state that outlives the process, a drain delay; and requests and runs that end.
    var others = false

    var description: String { "reload listeners: \(reload), other abilities: \(others)" }

    var situation: Situation {
      var situation = Situation()
      situation.machine.hasReloadListeners = reload
      guard others else { return situation }
      situation.machine.hasTerminationDeciders = true
      situation.machine.hasStateListeners = true
      situation.machine.hasSavedState = true
      situation.machine.drainDelay = .seconds(1)
      return situation
    }

    /// What can come beside what every lifecycle gets.
    func inputs(_ situation: Situation) -> [LifecycleInput] {
      guard others else { return [] }
      let failure = { ListenerFailure(listener: "a", event: .reload, isRequired: $0, message: "no", errno: 5) }
      var inputs: [LifecycleInput] = [.agreedStop(origin), .runEnded(failure(true)), .runEnded(failure(false))]
      inputs += [.status("busy"), .status("")]
      if situation.invariants.isWaiting { inputs.append(.waited) }
      if situation.invariants.openTicket == nil {
        inputs.append(.occurred(.didReceiveRequest, origin, OccurrenceTicket(1)))
      }
      if situation.invariants.onItsWay == .shouldTerminate {
        inputs.append(.ended(.shouldTerminate, TransitionOutcome(delay: .seconds(2))))
      }
      return inputs
    }
  }

  /// Everything that can come next: requests of every kind, and each way in which the transition can end.
  static func inputs(_ situation: Situation) -> [LifecycleInput] {
    // The event of a failure decides nothing.
    let failure = { ListenerFailure(listener: "a", event: $0, isRequired: $1, message: "no", errno: $2) }
    var inputs: [LifecycleInput] = [.run, .reload(origin), .stop(origin), .signal(origin)]
    inputs.append(.failed(failure(.reload, true, 5)))
    // Others do not run.
    if let armed = situation.invariants.armed { inputs.append(.overdue(armed)) }
    inputs.append(.stop(.signal(number: SignalNumber(15), senderPID: 1, senderUID: 0, value: nil)))
    // Two causes stand for all: one with a reason of its own, and one of the others.
    for cause in [PauseCause.operator, .sleep] { inputs += [.pause(cause, origin), .resume(cause, origin)] }
    for event in LifecycleEvent.allCases {
      guard event == situation.invariants.onItsWay || event == .didReceiveSignal || event == .reload else { continue }
      for wasCancelled in [false, true] {
        inputs.append(.ended(event, TransitionOutcome(wasCancelled: wasCancelled)))
        inputs.append(
          .ended(event, TransitionOutcome(failures: [failure(.reload, true, 5)], wasCancelled: wasCancelled)))
      }
      inputs.append(.ended(event, TransitionOutcome(failures: [failure(.reload, false, nil)])))
      // Only there it is more than a failure.
      guard [.stopping, .reloading].contains(situation.machine.state) else { continue }
      inputs.append(.ended(event, TransitionOutcome(failures: [.timeout("a", .reload, isRequired: true)])))
    }
    return inputs
  }

  @Test(
    "Invariants 1 to 4, 6 and 7 hold, and time is kept, over every sequence of inputs until no new state appears",
    arguments: [Abilities(reload: true), Abilities(), Abilities(others: true)])
  func closure(abilities: Abilities) {
    let first = abilities.situation
    var seen: Set<Situation> = [first]
    var open = [first]
    var transitions = 0
    while let situation = open.popLast() {
      // With the other abilities one cause of a pause stands for all, and a text in STATUS, which decides nothing, for
      // none; the random sequences have them.
      let inputs = Self.inputs(situation) + abilities.inputs(situation)
      for input in inputs where !abilities.others || !Self.isLeftOut(input) {
        var next = situation
        transitions += 1
        if let fault = next.feed(input) {
          Issue.record("\(fault), on \(input) in \(situation.machine.phase)")
          return
        }
        next = next.withoutCounters
        if seen.insert(next).inserted { open.append(next) }
      }
    }
    print("closure: \(seen.count) states, \(transitions) transitions, \(abilities)")
    #expect(seen.count > 100)
  }

  private static func isLeftOut(_ input: LifecycleInput) -> Bool {
    switch input {
    case .pause(.sleep, _), .resume(.sleep, _), .status: true
    default: false
    }
  }

  @Test("Invariants hold over 100,000 random sequences")
  func random() {
    var random = SplitMix64(state: 20_261_130)
    var inputs = 0
    for sequence in 0..<100_000 {
      let abilities = Abilities(reload: sequence % 4 != 0, others: sequence % 2 != 0)
      var situation = abilities.situation
      _ = situation.feed(.run)
      for _ in 0..<Int.random(in: 1...40, using: &random) {
        // Half of the time the transition ends well, or no sequence would get far.
        let input: LifecycleInput
        if let event = situation.invariants.onItsWay, Bool.random(using: &random) {
          input = .ended(event, TransitionOutcome())
        } else {
          input = (Self.inputs(situation) + abilities.inputs(situation)).randomElement(using: &random) ?? .run
        }
        inputs += 1
        if let fault = situation.feed(input) {
          Issue.record("sequence \(sequence): \(fault), on \(input) in \(situation.machine.phase)")
          return
        }
      }
    }
    print("random: 100000 sequences, \(inputs) inputs")
  }

  @Test("From every state a stop leads to the end, however the transitions on the way end")
  func stopAlwaysEnds() {
    var random = SplitMix64(state: 7)
    for walk in 0..<20_000 {
      let abilities = Abilities(reload: true, others: walk % 2 == 0)
      var situation = abilities.situation
      _ = situation.feed(.run)
      for _ in 0..<Int.random(in: 0...20, using: &random) {
        let input = (Self.inputs(situation) + abilities.inputs(situation)).randomElement(using: &random) ?? .run
        let phase = situation.machine.phase
        if let fault = situation.feed(input) {
          Issue.record("\(fault), on \(input) in \(phase)")
          return
        }
      }
      _ = situation.feed(.stop(Self.origin))
      var steps = 0
      while !situation.invariants.isFinished, steps < 12 {
        steps += 1
        guard let event = situation.invariants.onItsWay else {
          _ = situation.feed(.waited)
          continue
        }
        let failure = ListenerFailure(listener: "a", event: event, isRequired: true, message: "no")
        let outcome = Bool.random(using: &random) ? TransitionOutcome() : TransitionOutcome(failures: [failure])
        _ = situation.feed(.ended(event, outcome))
      }
      guard situation.invariants.isFinished else {
        Issue.record("not finished: \(situation.machine.phase)")
        return
      }
    }
  }
}

extension LifecycleStateMachineClosureTests {
  @Test("Invariant 5: from every state a stop leads to the end though nobody ever returns, by time alone")
  func stopEndsByTime() {
    var random = SplitMix64(state: 5)
    for walk in 0..<50_000 {
      let abilities = Abilities(reload: true, others: walk % 2 == 0)
      var situation = abilities.situation
      _ = situation.feed(.run)
      for _ in 0..<Int.random(in: 0...20, using: &random) {
        let input = (Self.inputs(situation) + abilities.inputs(situation)).randomElement(using: &random) ?? .run
        _ = situation.feed(input)
      }
      _ = situation.feed(.stop(Self.origin))
      if Bool.random(using: &random) {
        _ = situation.feed(.stop(.signal(number: SignalNumber(2), senderPID: 1, senderUID: 0, value: nil)))
      }
      var steps = 0
      while !situation.invariants.isFinished, let armed = situation.invariants.armed, steps < 4 {
        steps += 1
        if let fault = situation.feed(.overdue(armed)) {
          Issue.record("\(fault), with \(armed) over in \(situation.machine.phase)")
          return
        }
      }
      guard situation.invariants.isFinished else {
        Issue.record("not finished: \(situation.machine.phase), \(String(describing: situation.invariants.armed))")
        return
      }
    }
  }
}
