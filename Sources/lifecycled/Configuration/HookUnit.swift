/// A hook as loaded: its definition and the files that it came from.
@dynamicMemberLookup
struct HookUnit: Sendable, Equatable {
  @Kept var definition: HookDefinition
  /// The hook's own file, then its drop-ins in the order they were read.
  var files: [String]

  subscript<Value>(dynamicMember path: KeyPath<HookDefinition, Value>) -> Value { definition[keyPath: path] }

  /// Where it was written does not matter, only what.
  static func == (left: HookUnit, right: HookUnit) -> Bool { left.definition == right.definition }
}
