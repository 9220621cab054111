internal import Mediator

/// Has the machine wait for a hook that runs when it goes to sleep, or that runs when it wakes: what it says of that
/// the hook's own listener hears as background and foreground.
struct HookSleep: HookNewsListener, SleepListener {
  let news: HookNews
}
