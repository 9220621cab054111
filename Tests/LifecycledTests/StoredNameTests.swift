import Testing

@testable import lifecycled

@Suite("Names in the descriptor store", .timeLimit(.minutes(5)))
struct StoredNameTests {
  private static let titles = ["10-db", "10-db-admin", "20-wéb:x", String(repeating: "n", count: 250)]

  @Test(
    "A descriptor is told under its program's name, and that name leads back to it",
    arguments: [
      ("10-db", nil, "10-db"), ("10-db", "", "10-db"), ("10-db", "stored", "10-db"), ("10-db", "conn", "10-db-conn"),
      ("10-db", "a-b c", "10-db-a-b c"), ("10-db-admin", "x", "10-db-admin-x"),
      ("10-db", "administrator", "10-db-administrator"),
      ("20-wéb:x", "y", "20-w\\xc3\\xa9b\\x3ax-y"),
      // Another program's, or too long.
      ("10-db", "admin", nil), ("10-db", "admin-x", nil), (titles[3], "1234", titles[3] + "-1234"),
      (titles[3], "12345", nil),
    ] as [(String, String?, String?)])
  func names(title: String, name: String?, told: String?) {
    let stored = StoredName(owner: title, name: name)
    #expect(stored.told(among: Self.titles) == told)
    guard let told else { return }
    #expect(StoredName(of: told, among: Self.titles) == stored)
    #expect(told.utf8.allSatisfy { (0x20..<0x7F).contains($0) && $0 != UInt8(ascii: ":") } && told.utf8.count <= 255)
  }

  @Test("What is nobody's is nobody's", arguments: ["", "stored", "10-d", "10-dbx", "30-x"])
  func nobody(text: String) { #expect(StoredName(of: text, among: Self.titles) == nil) }
}
