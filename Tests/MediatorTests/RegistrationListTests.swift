import MediatorTestKit
import Testing

@testable import Mediator

@Suite("The list of registrations")
struct RegistrationListTests {
  private final class Plain: LifecycleListener {}

  private func registration() -> Registration { Registration(ListenerEntry(Plain()), entryNumber: nil, group: nil) }

  @Test("Adding, putting before another and removing, at random, beside a plain array", arguments: 0..<20)
  func model(seed: Int) {
    var random = SplitMix64(state: UInt64(seed))
    var list = RegistrationList()
    var model: [(number: UInt64, members: [Registration])] = []
    for _ in 0..<400 {
      switch Int.random(in: 0..<10, using: &random) {
      case 0..<4:
        let (number, members) = add(&random) { list.append($0, group: $1) }
        model.append((number, members))
      case 4 where !model.isEmpty:
        let place = Int.random(in: 0..<model.count, using: &random)
        let (number, members) = add(&random) { list.insert($0, group: $1, before: model[place].number) }
        model.insert((number, members), at: place)
      default:
        guard !model.isEmpty else { continue }
        let gone = model.remove(at: Int.random(in: 0..<model.count, using: &random))
        #expect(list.remove(gone.number).map(ObjectIdentifier.init) == gone.members.map(ObjectIdentifier.init))
        #expect(list.remove(gone.number).isEmpty)
        #expect(!list.contains(gone.number))
      }
      #expect(list.all.map(ObjectIdentifier.init) == model.flatMap(\.members).map(ObjectIdentifier.init))
      #expect(model.allSatisfy { list.contains($0.number) })
    }
  }

  private func add(
    _ random: inout SplitMix64, _ body: ([Registration], UInt64?) -> Void
  ) -> (UInt64, [Registration]) {
    let isGroup = Bool.random(using: &random)
    let members = (0..<(isGroup ? Int.random(in: 1...4, using: &random) : 1)).map { _ in registration() }
    let group = isGroup ? UInt64(1) << 63 | UInt64.random(in: 0..<1 << 40, using: &random) : nil
    body(members, group)
    return (group ?? members[0].number, members)
  }

  @Test("A plain listener is kept in 40 bytes: with what the allocator adds, 48")
  func size() {
    #expect(MemoryLayout<Registration.Content>.size == 16)
  }

  @Test("Before there is a reader the newest 4,096 reports are kept, in their order")
  func backlog() async {
    let hub = ReportHub()
    for number in 0..<10_000 { hub.send(.occurrencesDropped(number)) }
    hub.finish()
    var numbers: [Int] = []
    for await report in hub.stream() { if case .occurrencesDropped(let number) = report { numbers.append(number) } }
    #expect(numbers == Array(5_904..<10_000))
  }
}
