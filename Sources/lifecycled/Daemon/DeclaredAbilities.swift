/// What each listener of ours can do: said, since asking for it costs a millisecond before the service is ready.
internal import Mediator

extension ConfigurationListener: AbilityDeclaring { static var abilities: AbilitySet { .reload } }
extension HookListener: AbilityDeclaring { static var abilities: AbilitySet { AbilitySet(rawValue: 0) } }
extension HookHealth: AbilityDeclaring { static var abilities: AbilitySet { .health } }
extension HookMemory: AbilityDeclaring { static var abilities: AbilitySet { .memoryPressure } }
extension HookClock: AbilityDeclaring { static var abilities: AbilitySet { .timeChange } }
extension HookSecrets: AbilityDeclaring { static var abilities: AbilitySet { .secrets } }
extension HookSleep: AbilityDeclaring { static var abilities: AbilitySet { .sleep } }
extension HookSignals: AbilityDeclaring { static var abilities: AbilitySet { .signals } }
extension ProgramListener: AbilityDeclaring { static var abilities: AbilitySet { .running.union(.reload) } }
extension ProgramHealth: AbilityDeclaring { static var abilities: AbilitySet { .health } }
extension ProgramStatus: AbilityDeclaring { static var abilities: AbilitySet { .status.union(.scenes) } }

enum DeclaredAbilities {
  /// Before the first of them is made a listener.
  static func declare() {
    AbilitySet.declare(reloading: ConfigurationListener.self)
    AbilitySet.declare(reloading: ProgramListener.self)
    AbilitySet.declare(HookListener.self)
    AbilitySet.declare(HookHealth.self)
    AbilitySet.declare(HookMemory.self)
    AbilitySet.declare(HookClock.self)
    AbilitySet.declare(HookSecrets.self)
    AbilitySet.declare(HookSleep.self)
    AbilitySet.declare(HookSignals.self)
    AbilitySet.declare(ProgramHealth.self)
    AbilitySet.declare(ProgramStatus.self)
  }
}
