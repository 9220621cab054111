import Testing

@testable import Mediator
@testable import lifecycled

@Suite("What our listeners say of themselves")
struct DeclaredAbilitiesTests {
  @Test(
    "each has the abilities that it declares, and no other",
    arguments: [
      ConfigurationListener.self, HookListener.self, HookHealth.self, HookMemory.self, HookClock.self, HookSecrets.self,
      HookSleep.self,
      HookSignals.self, ProgramListener.self, ProgramHealth.self, ProgramStatus.self,
    ] as [any AbilityDeclaring.Type])
  func declared(type: any AbilityDeclaring.Type) {
    #expect(type.abilities == AbilitySet.asked(of: type))
  }
}
