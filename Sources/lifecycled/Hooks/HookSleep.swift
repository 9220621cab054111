internal import Mediator

/// Has the machine wait for a hook that runs when it goes to sleep, or that runs when it wakes: what it says of that
/// the hook's own listener hears as background and foreground.
final class HookSleep: SleepListener {
  let news: HookNews
  var name: String { news.name }

  init(_ news: HookNews) { self.news = news }
}
