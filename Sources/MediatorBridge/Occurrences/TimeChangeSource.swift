internal import Foundation
internal import Mediator
internal import MediatorLinux

/// Watches whether the wall clock is set and whether the machine gets another time zone, and tells listeners.
final class TimeChangeSource: OccurrenceSource {
  /// What `/etc/localtime` leads to and holds; the default for a machine that has none.
  private struct Zone: Hashable, Sendable {
    var target = ""
    var bytes: [UInt8] = []
  }

  private struct State {
    var clock: ClockWatch?
    var folder: FolderWatch?
    var zone = Zone()
  }

  private static let name = "localtime"

  private let path: String
  private let lifecycle: Lifecycle
  private let loop: EventLoop
  private let given: ClockDescriptor?
  /// What replaces the link may take it away first.
  private let settled: SettledLook
  private let teller: NewsTeller<TimeChange>
  private let state = Locked(State())

  /// Makes the descriptor that is read instead of the kernel's.
  struct ClockDescriptor: Sendable { var make: @Sendable () -> Int32 }

  /// - Parameters:
  ///   - folder: where `localtime` lies.
  ///   - given: for a test, which can not set the machine's clock.
  init(lifecycle: Lifecycle, loop: EventLoop, folder: String = "/etc", clock given: ClockDescriptor? = nil) {
    path = folder
    self.lifecycle = lifecycle
    self.loop = loop
    self.given = given
    settled = SettledLook(on: loop)
    teller = NewsTeller(on: loop) { change, ended in
      // Foundation keeps the zone that it has read once.
      if change == .timeZoneChanged { NSTimeZone.resetSystemTimeZone() }
      lifecycle.submit(.significantTimeChange, .system, .timeChange(change)) { _ in ended() }
    }
  }

  /// Who computes with the time in the start hears of it when that is over.
  func prepare() {
    do throws(LinuxError) {
      let clock = try ClockWatch(on: loop, descriptor: given?.make())
      state.withLock { $0.clock = clock }
    } catch {
      report("the wall clock", error)
    }
    do throws(LinuxError) {
      let folder = try FolderWatch(path, name: Self.name, on: loop)
      let zone = zone
      state.withLock { ($0.folder, $0.zone) = (folder, zone) }
    } catch {
      report("\(path)/\(Self.name)", error)
    }
  }

  func open() {
    if state.withLock({ $0.clock == nil && $0.folder == nil }) { prepare() }
    let (clock, folder) = state.withLock { ($0.clock, $0.folder) }
    do throws(LinuxError) {
      try clock?.start { [weak self] in self?.teller.tell(.clockWasSet) }
    } catch {
      report("the wall clock", error)
    }
    do throws(LinuxError) {
      try folder?.start { [weak self] told in if told == .changed { self?.lookSoon() } }
    } catch {
      report("\(path)/\(Self.name)", error)
    }
  }

  func close() {
    let (clock, folder) = state.withLock { state in
      defer { (state.clock, state.folder) = (nil, nil) }
      return (state.clock, state.folder)
    }
    clock?.cancel()
    folder?.cancel()
    settled.cancel()
  }

  private func lookSoon() { settled.soon { [weak self] in self?.look() } }

  private func look() {
    let zone = zone
    let isOther = state.withLock { state in
      defer { state.zone = zone }
      return state.zone != zone
    }
    if isOther { teller.tell(.timeZoneChanged) }
  }

  private var zone: Zone {
    let file = "\(path)/\(Self.name)"
    return Zone(target: Folder.link(file) ?? "", bytes: (try? SmallFile.read(file, limit: 1 << 16)) ?? [])
  }

  private func report(_ what: String, _ error: LinuxError) {
    lifecycle.hub.send(.sourceUnusable(.timeChange, message: "\(what): \(error)"))
  }
}
