/// One signal as it arrived: which, from whom, with what.
internal import CMediatorLinux

package struct SignalRecord: Hashable, Sendable {
  package var number: Int32
  /// `si_code` of sigaction(2).
  package var code: Int32
  /// 0 when no process sent it, or when the pipe was too full to keep the sender.
  package var senderPID: Int32
  package var senderUID: UInt32
  /// What sigqueue(3) carried.
  package var value: Int?

  package init(number: Int32, code: Int32, senderPID: Int32, senderUID: UInt32, value: Int? = nil) {
    self.number = number
    self.code = code
    self.senderPID = senderPID
    self.senderUID = senderUID
    self.value = value
  }

  init(_ raw: mediator_signal_record) {
    self.init(
      number: raw.number, code: raw.code, senderPID: raw.pid, senderUID: raw.uid,
      value: mediator_signal_code_is_queue(raw.code) ? Int(raw.value) : nil)
  }

  /// The kernel sent it by itself, as SIGHUP when the terminal goes away.
  package var fromKernel: Bool { mediator_signal_code_is_kernel(code) }
}
