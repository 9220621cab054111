import Testing

@testable import lifecycled

@Suite("What many hold in one place", .timeLimit(.minutes(5)))
struct KeptTests {
  private struct Holder: Equatable {
    @Kept var value: [Int]
  }

  @Test("Who changes it changes nobody else's; equal is what has equal values, wherever it lies")
  func values() {
    let first = Holder(value: [1])
    var second = first
    #expect(first == second)
    second.value.append(2)
    #expect(first.value == [1] && second.value == [1, 2] && first != second)
    second.value.removeLast()
    #expect(first == second)
    second.$value = Kept(wrappedValue: [3])
    #expect(first.value == [1] && second.value == [3])
  }
}
