/// What stands in a file of systemd.syntax(7): sections with their assignments, in the order written, nothing
/// interpreted.
struct UnitFile: Sendable, Equatable {
  struct Entry: Sendable, Equatable {
    var key: String
    var value: String
    var file: String
    /// The line on which the assignment begins.
    var line: Int
  }

  struct Section: Sendable, Equatable {
    var name: String
    var file: String
    var line: Int
    var entries: [Entry] = []
  }

  /// A section that is opened twice stands here twice, as in the file.
  var sections: [Section] = []

  /// All assignments under one section name.
  func entries(in section: String) -> [Entry] {
    sections.filter { $0.name == section }.flatMap(\.entries)
  }

  /// The values of one key, oldest first.
  func values(of key: String, in section: String) -> [String] {
    entries(in: section).filter { $0.key == key }.map(\.value)
  }

  /// Reads a drop-in after this file.
  mutating func append(_ dropIn: UnitFile) { sections += dropIn.sections }
}
