/// A vector of C strings that ends with NULL, as execve(2) wants it.
internal import Glibc

/// Lives as long as the body that uses it.
enum CStrings {
  typealias Vector = UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>

  /// Fails with EINVAL for a string that contains a zero: the program would get only what is before it.
  static func with<Result>(
    _ strings: [String], call: String, _ body: (Vector) throws(LinuxError) -> Result
  ) throws(LinuxError) -> Result {
    guard strings.allSatisfy({ !$0.utf8.contains(0) }) else { throw LinuxError(call, EINVAL) }
    let vector = Vector.allocate(capacity: strings.count + 1)
    for (index, string) in strings.enumerated() { unsafe vector[index] = unsafe strdup(string) }
    unsafe vector[strings.count] = nil
    defer {
      for index in strings.indices { unsafe free(vector[index]) }
      unsafe vector.deallocate()
    }
    return unsafe try body(vector)
  }
}
