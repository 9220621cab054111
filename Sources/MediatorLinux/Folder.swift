/// What a folder has in it.
internal import Glibc

package enum Folder {
  /// Without `.` and `..`, in the order in which the system tells them; none when the folder cannot be read.
  package static func names(_ path: String) -> [String] {
    var names: [String] = []
    unsafe forEach(path) { name in
      let name = unsafe String(cString: name)
      if name != ".", name != ".." { names.append(name) }
    }
    return names
  }

  /// The names that are numbers, as those of processes and threads in /proc are.
  static func numbers(_ path: String) -> [Int32] {
    var numbers: [Int32] = []
    unsafe forEach(path) { name in
      guard unsafe name.pointee >= 0x30, unsafe name.pointee <= 0x39 else { return }
      numbers.append(unsafe atoi(name))
    }
    return numbers
  }

  private static func forEach(_ path: String, _ body: (UnsafePointer<CChar>) -> Void) {
    guard let stream = unsafe opendir(path) else { return }
    defer { unsafe _ = closedir(stream) }
    while let entry = unsafe readdir(stream) {
      let name = unsafe UnsafeRawPointer(entry) + MemoryLayout<dirent>.offset(of: \.d_name)!
      unsafe body(name.assumingMemoryBound(to: CChar.self))
    }
  }

  /// Where a symbolic link leads, as it is written there; nil for anything else.
  package static func link(_ path: String) -> String? {
    var buffer = [UInt8](repeating: 0, count: Int(PATH_MAX))
    let count = unsafe buffer.withUnsafeMutableBytes { unsafe readlink(path, $0.baseAddress!, $0.count) }
    return count < 0 ? nil : String(decoding: buffer[..<count], as: UTF8.self)
  }
}
