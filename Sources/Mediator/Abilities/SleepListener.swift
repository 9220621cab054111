/// A listener for which the machine waits before it sleeps or goes down.
///
/// It declares this and no more: then the service is in the background, with reason `sleep`, before the machine sleeps,
/// is powered off or rebooted, and comes back to the foreground when that is over. All listeners go there with it. The
/// machine waits as long as logind allows: five seconds, unless `InhibitDelayMaxSec=` in `logind.conf(5)` says another
/// time. Without logind nothing is told.
public protocol SleepListener: LifecycleListener {}
