import Foundation
import Mediator
import MediatorBridge
import Testing

@Suite("Where memory pressure is watched", .timeLimit(.minutes(5)))
struct PressurePlanTests {
  private func base64(_ text: String) -> String { Data(text.utf8).base64EncodedString() }

  @Test("without a word of the manager: the own control group, then the machine, each with both triggers")
  func usual() {
    let plan = PressurePlan(watch: nil, write: nil, cgroup: "/sys/fs/cgroup/a")
    #expect(plan.sources.map(\.path) == ["/sys/fs/cgroup/a/memory.pressure", "/proc/pressure/memory"])
    for source in plan.sources {
      #expect(source.trigger.level == .some)
      #expect(source.trigger.bytes == Array("some 200000 2000000\0".utf8))
      #expect(source.critical?.level == .full)
      #expect(source.critical?.bytes == Array("full 100000 2000000\0".utf8))
      #expect(source.numbers == [source.path])
    }
    #expect(PressurePlan(watch: nil, write: nil, cgroup: nil).sources.map(\.path) == ["/proc/pressure/memory"])
  }

  @Test("the manager's word goes first, and what it says is written; of the worse we take care ourselves")
  func manager() {
    let plan = PressurePlan(watch: "/c/memory.pressure", write: base64("some 1 2\0"), cgroup: "/c")
    #expect(plan.sources.map(\.path) == ["/c/memory.pressure", "/proc/pressure/memory"])
    #expect(plan.sources[0].trigger.level == .some && plan.sources[0].trigger.bytes == Array("some 1 2\0".utf8))
    #expect(plan.sources[0].critical == PressurePlan.critical)
    #expect(plan.sources[0].numbers == ["/c/memory.pressure", "/proc/pressure/memory"])
    #expect(plan.problem == nil)
  }

  @Test("a trigger of the manager's for the worse is all there is; without one nothing is written")
  func triggers() {
    let full = PressurePlan(watch: "/run/x", write: base64("full 1 2"), cgroup: nil).sources[0]
    #expect(full.trigger.level == .full && full.critical == nil)
    let none = PressurePlan(watch: "/run/x", write: nil, cgroup: "/c").sources[0]
    #expect(none.trigger.bytes == [] && none.critical == nil)
    #expect(none.numbers == ["/run/x", "/c/memory.pressure", "/proc/pressure/memory"])
  }

  @Test("/dev/null turns it off, whatever else there is")
  func off() {
    let plan = PressurePlan(watch: "/dev/null", write: base64("some 1 2"), cgroup: "/c")
    #expect(plan.sources == [] && plan.problem == nil)
  }

  @Test(
    "a word that makes no sense is told of, and the usual is taken",
    arguments: [
      ("relative", nil, "MEMORY_PRESSURE_WATCH is not an absolute path"),
      ("/run/x", "%%%", "MEMORY_PRESSURE_WRITE is not base64"),
    ] as [(String, String?, String)])
  func nonsense(watch: String, write: String?, problem: String) {
    let plan = PressurePlan(watch: watch, write: write, cgroup: "/c")
    #expect(plan.problem == problem)
    #expect(plan.sources.map(\.path) == ["/c/memory.pressure", "/proc/pressure/memory"])
  }

  @Test("a file of numbers belongs to the control group that it lies in, or to the machine")
  func cgroup() {
    #expect(PressurePlan.cgroup(of: "/sys/fs/cgroup/a.slice/memory.pressure") == "/sys/fs/cgroup/a.slice")
    #expect(PressurePlan.cgroup(of: "/proc/pressure/memory") == "")
  }

  @Test("the kernel's text is read; a line that does not read so is left out")
  func text() {
    var pressure = MemoryPressure(level: .some)
    pressure.take(
      "some avg10=18.18 avg60=5.49 avg300=1.25 total=3830535\nfull avg10=4.54 avg60=1.35 avg300=0.30 total=985720\n")
    #expect(
      pressure.some
        == MemoryPressure.Stall(average10: 18.18, average60: 5.49, average300: 1.25, total: .microseconds(3_830_535)))
    #expect(pressure.full?.average10 == 4.54)
    let before = pressure
    for line in [
      "", "some", "full avg10=1.00", "some avg10=x avg60=5.49 avg300=1.25 total=1", "total=1", "half avg10=1.00",
      "some avg10=nan avg60=5.49 avg300=1.25 total=1", "some avg10=1.0 avg60=5.49 avg300=1.25 total=-1",
    ] {
      pressure.take(line)
      #expect(pressure == before, "\(line)")
    }
  }
}

@Suite("How often memory pressure is told", .timeLimit(.minutes(5)))
struct PressureLimitTests {
  private let start = ContinuousClock.now

  /// What is admitted of a row of levels, each at a second; every telling ends at once.
  private func admitted(_ row: [(MemoryPressure.Level, Int)]) -> [Bool] {
    var limit = PressureLimit()
    return row.map { level, second in
      let admits = limit.admits(level, at: start + .seconds(second))
      if admits { limit.ended() }
      return admits
    }
  }

  @Test("the same level is told again only ten seconds later")
  func same() {
    #expect(
      admitted([(.some, 0), (.some, 2), (.some, 9), (.some, 10), (.some, 12)]) == [true, false, false, true, false])
    #expect(admitted([(.full, 0), (.full, 2), (.full, 10)]) == [true, false, true])
  }

  @Test("what is worse is told at once, what is less bad is not")
  func worse() {
    #expect(
      admitted([(.some, 0), (.full, 2), (.some, 4), (.some, 11), (.some, 12)]) == [true, true, false, false, true])
  }

  @Test("as long as listeners are being told, only the worse is added, and once")
  func underWay() {
    var limit = PressureLimit()
    let later = start + .seconds(60)
    let firsts = [limit.admits(.some, at: start), limit.admits(.some, at: later)]
    let worse = [limit.admits(.full, at: later), limit.admits(.full, at: later + .seconds(60))]
    limit.ended()
    let one = limit.admits(.full, at: later + .seconds(120))
    limit.ended()
    let none = limit.admits(.full, at: later + .seconds(121))
    #expect(firsts == [true, false] && worse == [true, false] && !one && none)
  }

  @Test("of the same thing one telling is on its way, and what came meanwhile is told once afterwards")
  func oneAtATime() {
    var telling = OneAtATime<TimeChange>()
    let came = [telling.came(.clockWasSet), telling.came(.clockWasSet), telling.came(.clockWasSet)]
    let other = telling.came(.timeZoneChanged)
    let again = [telling.ended(.clockWasSet), telling.ended(.clockWasSet), telling.came(.clockWasSet)]
    #expect(came == [true, false, false] && other && again == [true, false, true])
  }
}
