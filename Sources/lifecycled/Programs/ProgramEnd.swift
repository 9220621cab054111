internal import MediatorLinux

/// How a program came to its end.
enum ProgramEnd: Sendable, Equatable {
  /// As we asked; nil when nothing ran.
  case stopped(ExitStatus?)
  /// By itself, when it was ready.
  case exited(ExitStatus)
  /// Before it was ready, or because it was not well.
  case failed(String, ExitStatus?)
  /// Its first process ended well, and others went on.
  case wentIntoBackground
  /// It was started too often in a row; the last of its ends.
  case gaveUp(Int, String, ExitStatus?)

  var status: ExitStatus? {
    switch self {
    case .stopped(let status), .failed(_, let status), .gaveUp(_, _, let status): status
    case .exited(let status): status
    case .wentIntoBackground: .exited(0)
    }
  }

  var text: String {
    switch self {
    case .stopped: "stopped"
    case .exited(let status): status.text
    case .failed(let message, _): message
    case .wentIntoBackground: "went into the background: it has to stay in the foreground"
    case .gaveUp(let starts, let message, _): "gave up after \(starts) starts in a row: \(message)"
    }
  }

  /// Whether it is a fault, in a service that was to go on.
  var isFailure: Bool {
    switch self {
    case .stopped, .exited(.exited(0)): false
    case .exited, .failed, .wentIntoBackground, .gaveUp: true
    }
  }
}

/// What an end means to `Restart=`.
enum EndKind: Sendable, Equatable {
  case success
  case failure(isAbnormal: Bool)
  /// It is not started again, whatever `Restart=` says.
  case never

  static let failure = EndKind.failure(isAbnormal: true)

  /// As systemd.service(5): exit status 0 and four signals are clean, but for a program that was to become ready.
  static func of(_ status: ExitStatus, isReady: Bool) -> EndKind {
    switch status {
    case .exited(0): isReady ? .success : .failure(isAbnormal: false)
    case .signalled(1, _), .signalled(2, _), .signalled(13, _), .signalled(15, _):
      isReady ? .success : .failure(isAbnormal: true)
    case .exited: .failure(isAbnormal: false)
    case .signalled, .unknown: .failure(isAbnormal: true)
    }
  }
}

extension ProgramDefinition.Restart {
  func covers(_ kind: EndKind) -> Bool {
    switch (self, kind) {
    case (_, .never), (.no, _): false
    case (.always, _), (.onSuccess, .success), (.onFailure, .failure), (.onAbnormal, .failure(isAbnormal: true)): true
    case (.onSuccess, _), (.onFailure, _), (.onAbnormal, _): false
    }
  }
}

extension ProgramDefinition {
  /// The pause after so many starts in a row: it doubles with each.
  func restartPause(after starts: Int) -> TimeSpan {
    guard case .microseconds(let first) = restartDelay, case .microseconds(let longest) = longestRestartDelay else {
      return restartDelay
    }
    let doublings = min(max(starts, 1) - 1, 40)
    let (grown, isTooMuch) = first.multipliedReportingOverflow(by: 1 << UInt64(doublings))
    return .microseconds(min(isTooMuch ? .max : grown, max(longest, first)))
  }
}
