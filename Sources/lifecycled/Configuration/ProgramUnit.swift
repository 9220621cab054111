/// A program as loaded: its definition and the files that it came from.
@dynamicMemberLookup
struct ProgramUnit: Sendable, Equatable {
  @Kept var definition: ProgramDefinition
  /// The program's own file, then its drop-ins in the order they were read; none of one from the command line.
  var files: [String]

  subscript<Value>(dynamicMember path: KeyPath<ProgramDefinition, Value>) -> Value { definition[keyPath: path] }

  /// Where it was written does not matter, only what.
  static func == (left: ProgramUnit, right: ProgramUnit) -> Bool { left.$definition == right.$definition }
}
