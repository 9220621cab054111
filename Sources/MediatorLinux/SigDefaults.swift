/// Dispositions that a daemon must not inherit.
internal import CMediatorLinux
internal import Glibc

package enum SigDefaults {
  /// An inherited SIG_IGN of SIGCHLD would make the kernel reap every child by itself and lose its status.
  package static func restoreChildSignal() {
    let result = mediator_signal_set_default(SIGCHLD)
    precondition(result == 0, "signal: \(LinuxError.text(-result))")
  }
}
