/// What kind of happening a line tells, as the journal's `MESSAGE_ID=` (`sd-id128(3)`); these never change.
enum LogKind: String, Sendable, CaseIterable {
  case signalReceived = "333df72622af42b8919041d42a006a7f"
  case eventBegan = "39a81e7f9c4a400c8930c13fa252185b"
  case eventEnded = "c3ddd18e563b496f960f7cf588696776"
  case stateChanged = "32bbd9cb56314b2a862e0e4f79ac9a13"
  case listenerFailed = "d650397c42e741538d7ab47e604f26f8"
  case listenerUnwell = "583c381c694a491b8007efe4f968436c"
  case reloaded = "d988314acb9148459a0ce6def5793b0e"
  case reloadFailed = "d1708701b0774ba28dca7c57d58ccf80"
  case reloadDropped = "4362278b2f0f46889f369de1ad914ec9"
  case finished = "3de9dbd0fedc4becb6bfa78e4ef236ff"
}
