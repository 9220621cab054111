/// What a command asks a running lifecycled.
struct ControlRequest: Equatable, Sendable {
  enum Action: Equatable, Sendable {
    case status(Form)
    case reload
    case background
    case foreground
    case stop
    case open(url: String)
    /// The payload is a JSON object, as it was typed.
    case send(verb: String, payload: String?)
    case watch(json: Bool)
    /// nil: print what it is.
    case logLevel(LogLevel?)
    case analyze(Analysis)
  }

  enum Form: Equatable, Sendable {
    case table
    case json
    /// The exit status says whether it is ready, at the latest after this time.
    case ready(wait: TimeSpan?)
    case alive
  }

  enum Analysis: String, Sendable, CaseIterable { case blame, plot }

  /// nil: where it is by default.
  var path: String?
  var action: Action
}

/// The commands that ask a running lifecycled.
enum ControlVerb: String, Sendable, CaseIterable {
  case status, reload, background, foreground, stop, open, send, watch
  case logLevel = "log-level"
  case analyze

  /// The options that only these commands have.
  var options: [ControlOption] {
    switch self {
    case .status: [.json, .ready, .alive, .wait]
    case .watch: [.json]
    case .reload, .background, .foreground, .stop, .open, .send, .logLevel, .analyze: []
    }
  }

  /// What it takes, as a message names it, and how much of it is needed.
  var operands: (names: [String], needed: Int) {
    switch self {
    case .status, .reload, .background, .foreground, .stop, .watch: ([], 0)
    case .open: (["URL"], 1)
    case .send: (["VERB", "JSON"], 1)
    case .logLevel: (["LEVEL"], 0)
    case .analyze: (["blame|plot"], 1)
    }
  }
}

enum ControlOption: String, Sendable, CaseIterable {
  case json = "--json"
  case ready = "--ready"
  case alive = "--alive"
  case wait = "--wait"

  var takesValue: Bool { self == .wait }
}

extension ControlRequest {
  /// - Parameter options: the value of an option that takes none is empty.
  init(
    _ verb: ControlVerb, _ operands: [String], _ options: [ControlOption: String], path: String?
  ) throws(UsageError) {
    self.path = path
    if let option = ControlOption.allCases.first(where: { options[$0] != nil && !verb.options.contains($0) }) {
      throw UsageError(what: "\(option.rawValue) does not go with \(verb.rawValue)", advice: "leave it out")
    }
    let (names, needed) = verb.operands
    if operands.count < needed {
      throw UsageError(
        what: "\(verb.rawValue) needs \(names[operands.count])",
        advice: "write lifecycled \(verb.rawValue) \(names.prefix(needed).joined(separator: " "))")
    }
    if operands.count > names.count {
      throw UsageError(what: "\(operands[names.count].quoted) is too much after \(verb.rawValue)")
    }
    action = try Self.action(verb, operands, options)
  }

  private static func action(
    _ verb: ControlVerb, _ operands: [String], _ options: [ControlOption: String]
  ) throws(UsageError) -> Action {
    switch verb {
    case .status: .status(try form(options))
    case .reload: .reload
    case .background: .background
    case .foreground: .foreground
    case .stop: .stop
    case .open: .open(url: operands[0])
    case .send: .send(verb: operands[0], payload: operands.count > 1 ? try payload(operands[1]) : nil)
    case .watch: .watch(json: options[.json] != nil)
    case .logLevel: .logLevel(try operands.first.map { word throws(UsageError) in try level(word) })
    case .analyze: .analyze(try analysis(operands[0]))
    }
  }

  private static func form(_ options: [ControlOption: String]) throws(UsageError) -> Form {
    let forms = [ControlOption.json, .ready, .alive].filter { options[$0] != nil }
    if forms.count > 1 {
      throw UsageError(what: "\(forms[0].rawValue) does not go with \(forms[1].rawValue)", advice: "choose one")
    }
    if options[.wait] != nil, forms != [.ready] {
      throw UsageError(what: "--wait means nothing without --ready", advice: "write --ready --wait=30")
    }
    switch forms.first {
    case .json: return .json
    case .alive: return .alive
    case .ready:
      guard let text = options[.wait] else { return .ready(wait: nil) }
      do throws(ValueParser.Problem) {
        return .ready(wait: try ValueParser.timeout(text))
      } catch {
        throw UsageError(what: "--wait: \(error.what)", advice: error.advice)
      }
    default: return .table
    }
  }

  private static func payload(_ text: String) throws(UsageError) -> String {
    guard ControlPayload.isObject(text) else {
      throw UsageError(
        what: "send: \(text.quoted) is not a JSON object", advice: #"write one such as '{"key": "value"}'"#)
    }
    return text
  }

  private static func level(_ word: String) throws(UsageError) -> LogLevel {
    do throws(ValueParser.Problem) {
      return try LogLevel(parsing: word)
    } catch {
      throw UsageError(what: "log-level: \(error.what)", advice: error.advice)
    }
  }

  private static func analysis(_ word: String) throws(UsageError) -> Analysis {
    guard let analysis = Analysis(rawValue: word) else {
      throw UsageError(what: "analyze: there is no \(word.quoted)", advice: "write analyze blame or analyze plot")
    }
    return analysis
  }
}
