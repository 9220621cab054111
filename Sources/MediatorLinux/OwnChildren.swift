/// The children of this process, as the kernel lists them, whoever has started them.
internal import Glibc

enum OwnChildren {
  /// nil where the kernel keeps no such lists, which is its own choice (`CONFIG_PROC_CHILDREN`).
  ///
  /// Who is reaped while a list is read may hide another that is behind it: call it on the loop that reaps.
  static func numbers() -> [Int32]? {
    let ours = getpid()
    // An orphan comes to the first thread, and so does a child of a thread that ends: that list is read last.
    let threads = Folder.numbers("/proc/self/task").filter { $0 != ours } + [ours]
    var numbers: [Int32] = []
    for thread in threads {
      if let list = ProcessFile.read("task/\(thread)/children", of: ours, limit: .max) {
        append(list, to: &numbers)
      } else if thread == ours {
        return nil
      }
    }
    return numbers
  }

  private static func append(_ list: [UInt8], to numbers: inout [Int32]) {
    var number: Int32 = 0
    for byte in list {
      if byte >= 0x30, byte <= 0x39 {
        number = number &* 10 &+ Int32(byte - 0x30)
      } else if number > 0 {
        numbers.append(number)
        number = 0
      }
    }
  }
}
