import MediatorLinux
import Testing

@testable import lifecycled

/// Drives the machine of one program and keeps what it wants done.
private struct Life {
  var machine: ProgramMachine
  var effects: [ProgramEffect] = []

  init(_ change: (inout ProgramDefinition) -> Void = { _ in }) throws {
    var definition = ProgramDefinition(name: "web.process", command: try HookCommand(words: ["/bin/web"]))
    change(&definition)
    machine = ProgramMachine(definition)
  }

  /// What these inputs lead to, without what only tells that something has changed.
  @discardableResult
  mutating func take(_ inputs: ProgramInput...) -> [ProgramEffect] {
    var all: [ProgramEffect] = []
    for input in inputs { all += machine.handle(input) }
    effects += all
    return all.filter { effect in
      switch effect {
      case .changed, .disarm, .endReadiness, .endHealth: false
      default: true
      }
    }
  }
}

@Suite("The life of a program, decided", .timeLimit(.minutes(5)))
struct ProgramMachineTests {
  private let stable = ProgramEffect.arm(.stable, .seconds(10))

  @Test("Without Ready= a program is ready as soon as it runs")
  func immediately() throws {
    var life = try Life()
    #expect(life.take(.start) == [.spawn])
    #expect(life.take(.spawned) == [.beginHealth])
    #expect(life.machine.phase == .ready)
  }

  @Test("With Ready=notify only READY=1 counts")
  func notify() throws {
    var life = try Life { $0.readiness = .notify }
    #expect(life.take(.start, .spawned) == [.spawn, .arm(.ready, .seconds(60)), .beginReadiness])
    life.take(.declared(.reloading), .said("opening"))
    #expect(life.machine.phase == .starting && life.machine.said == "opening")
    #expect(life.take(.declared(.ready)) == [.beginHealth])
    #expect(life.take(.declared(.ready)) == [], "once is enough")
  }

  @Test("C02: one that never becomes ready is ended, and the reason is that of the check")
  func neverReady() throws {
    var life = try Life { $0.readiness = .tcp(host: "::1", port: 80) }
    life.take(.start, .spawned, .checkFails("connection refused"))
    #expect(life.take(.overdue(.ready)) == [.arm(.kill, .seconds(10)), .signal(15)])
    #expect(life.take(.overdue(.kill)) == [.kill])
    let end = ProgramEnd.failed("not ready after 1min: connection refused", .signalled(9, coreDumped: false))
    #expect(life.take(.exited(.signalled(9, coreDumped: false), survivors: false)) == [.kill, .over(end)])
    #expect(end.isFailure)
  }

  @Test("F07: one that ends well before it was ready has failed")
  func endedBeforeReady() throws {
    var life = try Life { $0.readiness = .notify }
    life.take(.start, .spawned)
    let end = ProgramEnd.failed("ended before it was ready, exit 0", .exited(0))
    #expect(life.take(.exited(.exited(0), survivors: false)) == [.kill, .over(end)])
  }

  @Test("One that can become ready no more is ended at once; once it is ready, nothing of that counts")
  func neverHolds() throws {
    var life = try Life { $0.readiness = .descriptor(7) }
    life.take(.start, .spawned)
    #expect(life.take(.neverHolds("closed")) == [.arm(.kill, .seconds(10)), .signal(15)])
    let killed = MediatorLinux.ExitStatus.signalled(15, coreDumped: false)
    #expect(life.take(.exited(killed, survivors: false)) == [.kill, .over(.failed("closed", killed))])

    var ready = try Life { $0.readiness = .descriptor(7) }
    ready.take(.start, .spawned, .checkHolds)
    #expect(ready.take(.neverHolds("closed")) == [])
  }

  @Test("F12: one whose first process ends well while others go on is not started again")
  func background() throws {
    for readiness in [nil, ProgramCheck.notify] {
      var life = try Life {
        $0.readiness = readiness
        $0.restart = .always
      }
      life.take(.start, .spawned)
      #expect(life.take(.exited(.exited(0), survivors: true)) == [.kill, .over(.wentIntoBackground)])
    }
  }

  @Test("C13: pauses grow, the row of starts has an end, and a program that stays ready begins a new one")
  func backoff() throws {
    var life = try Life { $0.restart = .onFailure }
    #expect(life.take(.start, .spawned) == [.spawn, stable, .beginHealth])
    let end = ProgramEnd.exited(.exited(1))
    for milliseconds: UInt64 in [100, 200, 400] {
      let pause = TimeSpan.microseconds(milliseconds * 1000)
      let effects = life.take(.exited(.exited(1), survivors: false))
      #expect(effects == [.kill, .restarts(end, pause), .arm(.pause, pause)])
      #expect(life.take(.overdue(.pause)) == [.spawn])
      life.take(.spawned)
    }
    life.take(.overdue(.stable))
    #expect(life.machine.starts == 1 && life.machine.restarts == 3)
    for _ in 0..<4 {
      life.take(.exited(.exited(1), survivors: false), .overdue(.pause), .spawned)
    }
    #expect(
      life.take(.exited(.exited(1), survivors: false)) == [.kill, .over(.gaveUp(5, "exited 1", .exited(1)))])
  }

  @Test("Where it is never started again no row of starts is timed; one that has begun still ends")
  func noRow() throws {
    var life = try Life { $0.restart = .onFailure }
    life.take(.start, .spawned, .exited(.exited(1), survivors: false))
    life.machine.definition.restart = .no
    #expect(life.take(.overdue(.pause), .spawned) == [.spawn, stable, .beginHealth])
    life.take(.overdue(.stable))
    #expect(life.machine.starts == 1)
  }

  @Test("The pause never exceeds its limit, and no number of starts makes it overflow")
  func pauses() throws {
    var definition = try Life().machine.definition
    #expect(definition.restartPause(after: 1_000_000) == .seconds(30))
    definition.restartDelay = .seconds(60)
    #expect(definition.restartPause(after: 3) == .seconds(60))
    definition.restartDelay = .microseconds(0)
    #expect(definition.restartPause(after: 9) == .microseconds(0))
  }

  @Test(
    "Restart= means what systemd.service(5) says",
    arguments: [
      (ProgramDefinition.Restart.no, [false, false, false, false]),
      (.always, [true, true, true, true]), (.onSuccess, [true, true, false, false]),
      (.onFailure, [false, false, true, true]), (.onAbnormal, [false, false, false, true]),
    ])
  func restart(restart: ProgramDefinition.Restart, expected: [Bool]) throws {
    let ends: [MediatorLinux.ExitStatus] = [
      .exited(0), .signalled(15, coreDumped: false), .exited(3), .signalled(11, coreDumped: true),
    ]
    for (end, isRestarted) in zip(ends, expected) {
      var life = try Life { $0.restart = restart }
      life.take(.start, .spawned, .exited(end, survivors: false))
      #expect((life.machine.phase == .pausing) == isRestarted, "\(restart) after \(end)")
    }
  }

  @Test("B06: a stop in the pause before a restart ends it at once")
  func stopInPause() throws {
    var life = try Life { $0.restart = .always }
    life.take(.start, .spawned, .exited(.exited(1), survivors: false))
    #expect(life.take(.stop) == [.over(.stopped(nil))])
    #expect(life.take(.overdue(.pause), .start) == [])
  }

  @Test("C18: what a program's end means after a stop is left to its status")
  func stop() throws {
    for status in [MediatorLinux.ExitStatus.signalled(15, coreDumped: false), .exited(3)] {
      var life = try Life { $0.restart = .always }
      life.take(.start, .spawned)
      #expect(life.take(.stop) == [.arm(.kill, .seconds(10)), .signal(15)])
      #expect(life.take(.stop) == [])
      #expect(life.take(.exited(status, survivors: false)) == [.kill, .over(.stopped(status))])
    }
  }

  @Test("C17: one that others have told to stop was stopped, whatever its status, and is not started again")
  func endedInStop() throws {
    for status in [MediatorLinux.ExitStatus.signalled(15, coreDumped: false), .exited(0), .exited(143), .exited(1)] {
      for before in [[ProgramInput.start, .spawned], [.start], [.start, .spawned, .renew]] {
        var life = try Life { $0.restart = .always }
        for input in before { life.take(input) }
        #expect(life.take(.endedInStop(status)) == [.kill, .over(.stopped(status))])
        #expect(life.take(.stop, .start, .renew) == [])
      }
    }
  }

  @Test("StopExec= runs before the signal, and the time counts from its beginning")
  func stopCommands() throws {
    let command = try HookCommand(words: ["/bin/quit"])
    var life = try Life { $0.stopCommands = [command] }
    life.take(.start, .spawned)
    #expect(life.take(.stop) == [.arm(.kill, .seconds(10)), .runStopCommands])
    #expect(life.take(.stopCommandsEnded) == [.signal(15)])
  }

  @Test("A reload by signal waits for RELOADING and READY of Ready=notify, and for no program that never says them")
  func reloadByNotify() throws {
    var life = try Life {
      $0.readiness = .notify
      $0.reload = .signal(1)
    }
    life.take(.start, .spawned, .declared(.ready))
    #expect(life.take(.reload) == [.askForReload])
    #expect(life.take(.reloadRequested) == [.arm(.reload, .seconds(1))])
    #expect(life.take(.declared(.reloading)) == [])
    #expect(life.take(.overdue(.reload)) == [], "it has said so")
    #expect(life.take(.declared(.ready)) == [.reloadEnded(nil)])
    life.take(.reload, .reloadRequested)
    #expect(life.take(.overdue(.reload)) == [.reloadEnded(nil)])
    life.take(.reload)
    #expect(life.take(.declared(.reloaded)) == [.reloadEnded(nil)], "before we knew that the signal was sent")
    #expect(life.take(.reloadRequested) == [])
  }

  @Test("A reload by signal waits until the check holds again")
  func reloadByCheck() throws {
    var life = try Life {
      $0.readiness = .tcp(host: "::1", port: 1)
      $0.reload = .signal(1)
    }
    life.take(.start, .spawned, .checkHolds)
    life.take(.reload)
    #expect(life.take(.reloadRequested) == [.beginReadiness])
    #expect(life.take(.checkHolds) == [.reloadEnded(nil)])
    life.take(.reload)
    #expect(life.take(.reloadRefused("it has no handler for SIGHUP")) == [.reloadEnded("it has no handler for SIGHUP")])
    #expect(life.machine.phase == .ready, "F19: it lives")
  }

  @Test("C04, C05: what a program reloads by itself is told apart, and no reload is left open by its end")
  func ownReload() throws {
    var life = try Life { $0.readiness = .notify }
    life.take(.start, .spawned, .declared(.ready))
    #expect(life.take(.declared(.reloaded)) == [.ownReload(.reloaded)])
    #expect(life.take(.declared(.reloading)) == [.ownReload(.reloading)])
    #expect(life.take(.declared(.ready)) == [.ownReload(.ready)])
    life.take(.declared(.reloading))
    #expect(life.take(.exited(.exited(1), survivors: false)) == [.kill, .over(.exited(.exited(1)))])

    var asked = try Life { $0.reload = .signal(1) }
    asked.take(.start, .spawned, .reload)
    let end = ProgramEnd.exited(.exited(1))
    #expect(
      asked.take(.exited(.exited(1), survivors: false)) == [.kill, .reloadEnded("it ended: exited 1"), .over(end)])
  }

  @Test("F06: it is unwell after as many failures in a row as the threshold says")
  func threshold() throws {
    var life = try Life { $0.health = .file(path: "/ok") }
    life.take(.start, .spawned)
    for answer in [nil, "no", "no", nil, "no", "no"] { life.take(.healthAnswer(answer)) }
    #expect(life.machine.trouble == nil)
    life.take(.healthAnswer("no"))
    #expect(life.machine.trouble == "no")
    life.take(.healthAnswer(nil))
    #expect(life.machine.trouble == nil)
  }

  @Test("An unwell program is started again if Restart= says so, and stays unwell until it is ready")
  func unwellRestart() throws {
    var life = try Life {
      $0.readiness = .notify
      $0.health = .notify
      $0.restart = .onFailure
    }
    life.take(.start, .spawned, .declared(.ready))
    #expect(life.take(.healthAnswer("no WATCHDOG=1")) == [.arm(.kill, .seconds(10)), .signal(15)])
    life.take(.exited(.exited(0), survivors: false))
    #expect(life.machine.phase == .pausing)
    life.take(.overdue(.pause), .spawned)
    #expect(life.machine.trouble == "no WATCHDOG=1")
    life.take(.declared(.ready))
    #expect(life.machine.trouble == nil)
  }

  @Test("A renewal is no failure: it needs no Restart= and does not count in the row")
  func renewal() throws {
    var life = try Life()
    life.take(.start, .spawned)
    #expect(life.take(.renew) == [.arm(.kill, .seconds(10)), .signal(15)])
    #expect(life.take(.exited(.exited(7), survivors: false)) == [.kill, .spawn])
    #expect(life.machine.starts == 1)
    life.take(.spawned, .renew, .stop)
    #expect(life.take(.exited(.exited(0), survivors: false)) == [.kill, .over(.stopped(.exited(0)))])
  }

  @Test("EXTEND_TIMEOUT_USEC= counts from now, for readiness and for the end")
  func extends() throws {
    var life = try Life { $0.readiness = .notify }
    life.take(.start, .spawned)
    #expect(life.take(.asksForTime(.seconds(5))) == [.extend(.ready, .seconds(5))])
    life.take(.declared(.ready))
    #expect(life.take(.asksForTime(.seconds(5))) == [])
    life.take(.stop)
    #expect(life.take(.asksForTime(.seconds(7))) == [.extend(.kill, .seconds(7))])
  }
}
