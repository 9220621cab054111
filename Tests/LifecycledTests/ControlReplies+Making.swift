@testable import lifecycled

extension ControlReplies.TraceEntry {
  /// One that begins so many µs after the second 1 of the clock, which is the start in `trace`.
  static func at(
    _ begin: UInt64, _ kind: String, _ name: String, event: String? = nil, reason: String? = nil,
    took duration: UInt64? = 0, result: String = "ok", text: String? = nil, count: Int = 1
  ) -> Self {
    Self(
      number: 0, kind: kind, name: name, event: event, reason: reason, origin: nil, transition: nil, count: count,
      beginUSec: 1_000_000 + begin, durationUSec: duration, result: result, text: text)
  }

  static func call(
    _ begin: UInt64, _ name: String, _ event: String, _ reason: String = "start", took duration: UInt64?,
    result: String = "ok", text: String? = nil
  ) -> Self {
    at(begin, "call", name, event: event, reason: reason, took: duration, result: result, text: text)
  }
}

extension ControlReplies.Trace {
  /// - Parameter now: µs after the start.
  init(_ entries: [ControlReplies.TraceEntry], now: UInt64, lost: UInt64 = 0) {
    self.init(lost: lost, startUSec: 1_000_000, nowUSec: 1_000_000 + now, entries: entries)
  }

  /// A start, so many reloads a minute apart, and a stop, of so many listeners.
  static func life(listeners: [String], reloads: Int) -> Self {
    var entries: [ControlReplies.TraceEntry] = []
    var now: UInt64 = 0
    func tell(_ state: String, _ reason: String, _ events: [String]) {
      let (began, first) = (now, entries.count)
      entries.append(.at(now, "state", state))
      for event in events {
        entries.append(.at(now, "event", event, reason: reason, took: UInt64(listeners.count) * 1_000))
        for name in listeners {
          entries.append(.call(now, name, event, reason, took: 990))
          now += 1_000
        }
      }
      entries[first].durationUSec = now - began
    }
    tell("starting", "start", ["willFinishLaunching", "didFinishLaunching", "willEnterForeground", "didBecomeActive"])
    entries.append(.at(now, "notify", "READY=1"))
    for _ in 0..<reloads {
      now += 60_000_000
      entries.append(.at(now, "signal", "SIGHUP"))
      now += 50
      tell("reloading", "reload", ["prepareReload", "reload"])
    }
    now += 60_000_000
    tell("stopping", "stop", ["willResignActive", "didEnterBackground", "willTerminate"])
    return Self(entries, now: now)
  }
}

enum HostileText {
  /// What a program may call itself, print, or say in STATUS.
  static let all = [
    "", "<0>x\r\n", "\u{1B}[2J\u{1B}]0;title\u{7}", "\u{9B}31m", "a\tb\u{0}c", "\u{202E}txt.exe\u{2066}",
    "<b>&amp;\"'</b>]]>", "e" + String(repeating: "\u{301}", count: 500), String(repeating: "x", count: 5_000),
    "名前のとても長いサービスの名前のとても長いサービスの名前", "👩‍👩‍👧‍👦🚀", "\u{FFFE}\u{FFFF}", "\u{2028}\u{85}\u{FEFF}",
    String(repeating: "あ", count: 300),
  ]

  /// No control character but those of colour, if wanted.
  static func isSafe(_ line: String, hasColour: Bool = false) -> Bool {
    var line = line
    if hasColour {
      for colour in ["31", "32", "33", "1", "2", "0"] { line = line.split(separator: "\u{1B}[\(colour)m").joined() }
    }
    return Escaped.text(line) == line && !line.contains("\t")
  }
}
