/// Finds the word that a misspelt one was most likely meant to be.
package enum Suggestion {
  /// The nearest candidate, if it is near enough to be worth saying.
  package static func nearest(to word: String, among candidates: some Sequence<String>) -> String? {
    let typed = Array(word.lowercased().utf8.prefix(64))
    guard !typed.isEmpty else { return nil }
    var best: (candidate: String, distance: Int)?
    for candidate in candidates {
      let distance = distance(typed, Array(candidate.lowercased().utf8.prefix(64)))
      if distance < best?.distance ?? .max { best = (candidate, distance) }
    }
    guard let best, best.distance <= max(1, min(typed.count, best.candidate.utf8.count) / 3) else { return nil }
    return best.candidate
  }

  /// "did you mean X?", or nil.
  package static func advice(for word: String, among candidates: some Sequence<String>) -> String? {
    nearest(to: word, among: candidates).map { "did you mean \($0)?" }
  }

  /// Insertions, deletions, replacements and swapped neighbours, each counted as one.
  private static func distance(_ left: [UInt8], _ right: [UInt8]) -> Int {
    var beforeLast: [Int] = []
    var last = Array(0...right.count)
    for row in 0..<left.count {
      var current = [row + 1]
      for column in 0..<right.count {
        let cost = left[row] == right[column] ? 0 : 1
        var value = min(last[column + 1] + 1, current[column] + 1, last[column] + cost)
        if row > 0, column > 0, left[row] == right[column - 1], left[row - 1] == right[column] {
          value = min(value, beforeLast[column - 1] + 1)
        }
        current.append(value)
      }
      (beforeLast, last) = (last, current)
    }
    return last[right.count]
  }
}
