/// The job control of a shell, seen from the job.
internal import CMediatorLinux

package enum JobControl {
  /// Stops the process as SIGTSTP by default does, and returns when somebody has let it go on.
  ///
  /// It returns at once where the kernel stops nobody, because no shell could let it go on: in an orphaned process
  /// group, credentials(7). A handler for SIGTSTP is put back.
  package static func stopSelf() { mediator_stop_self() }
}
