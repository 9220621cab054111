/// Writes as much as is possible without waiting, whatever the descriptor's own flags say (`RWF_NOWAIT` of pwritev2(2)).
internal import CMediatorLinux

package enum NonblockingWrite {
  /// How many bytes were written; negative if none, also where the kernel cannot do it, as to a terminal.
  package static func write(_ bytes: [UInt8], to descriptor: Int32) -> Int {
    unsafe bytes.withUnsafeBytes { unsafe mediator_write_now(descriptor, $0.baseAddress, $0.count) }
  }
}
