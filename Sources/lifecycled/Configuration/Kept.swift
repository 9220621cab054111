/// A large value in one place of memory, for all who hold it; who changes it gets a place of their own.
@propertyWrapper
struct Kept<Value: Sendable & Equatable>: Sendable, Equatable {
  private final class Place: Sendable {
    let value: Value
    init(_ value: Value) { self.value = value }
  }
  private var place: Place

  init(wrappedValue: Value) { place = Place(wrappedValue) }

  var wrappedValue: Value {
    get { place.value }
    set { place = Place(newValue) }
  }

  /// What shares the place.
  var projectedValue: Kept {
    get { self }
    set { self = newValue }
  }

  static func == (left: Kept, right: Kept) -> Bool {
    left.place === right.place || left.place.value == right.place.value
  }
}
