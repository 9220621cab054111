/// The methods of a control socket: what each may be given, and by whom.
enum ControlMethod: String, CaseIterable, Sendable {
  case getInfo = "GetInfo"
  case getInterfaceDescription = "GetInterfaceDescription"
  case getState = "GetState"
  case getListeners = "GetListeners"
  case reload = "Reload"
  case background = "Background"
  case foreground = "Foreground"
  case stop = "Stop"
  case request = "Request"
  case subscribe = "Subscribe"
  case getTrace = "GetTrace"
  case setLogLevel = "SetLogLevel"

  /// Of org.varlink.service.
  var isOfService: Bool { self == .getInfo || self == .getInterfaceDescription }

  /// It changes nothing.
  var onlyReads: Bool {
    switch self {
    case .getInfo, .getInterfaceDescription, .getState, .getListeners, .subscribe, .getTrace: true
    case .reload, .background, .foreground, .stop, .request, .setLogLevel: false
    }
  }

  /// It has several answers, or none for a long time.
  var wantsMore: Bool { self == .subscribe || self == .getTrace }

  var parameters: [String] {
    switch self {
    case .getInterfaceDescription: ["interface"]
    case .request: ["verb", "url", "payload"]
    case .setLogLevel: ["level"]
    case .getInfo, .getState, .getListeners, .reload, .background, .foreground, .stop, .subscribe, .getTrace: []
    }
  }
}
