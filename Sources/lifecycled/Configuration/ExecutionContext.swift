/// What a hook and a program have in common: as whom, where and with which environment their commands run.
protocol ExecutionContext {
  var user: String? { get set }
  var group: String? { get set }
  var workingDirectory: String? { get set }
  /// A later one of the same name wins.
  var environment: [EnvironmentVariable] { get set }
  /// Read when it runs, after `environment`, in this order.
  var environmentFiles: [HookDefinition.EnvironmentSource] { get set }
}

extension HookDefinition: ExecutionContext {}
extension ProgramDefinition: ExecutionContext {}
