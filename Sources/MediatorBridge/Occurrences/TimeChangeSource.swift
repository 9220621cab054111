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
    var look: EventSource?
    var telling = OneAtATime<TimeChange>()
  }

  /// What replaces the link may take it away first; so long nobody looks.
  private static let settling = Duration.milliseconds(100)
  private static let name = "localtime"

  private let path: String
  private let lifecycle: Lifecycle
  private let loop: EventLoop
  private let given: ClockDescriptor?
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
      try clock?.start { [weak self] in self?.tell(.clockWasSet) }
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
    let (clock, folder, look) = state.withLock { state in
      defer { (state.clock, state.folder, state.look) = (nil, nil, nil) }
      return (state.clock, state.folder, state.look)
    }
    clock?.cancel()
    folder?.cancel()
    look?.cancel()
  }

  private func lookSoon() {
    if state.withLock({ $0.look != nil }) { return }
    let timer = loop.timer(after: Self.settling) { [weak self] in self?.look() }
    state.withLock { $0.look = timer }
  }

  private func look() {
    let zone = zone
    let isOther = state.withLock { state in
      defer { (state.zone, state.look) = (zone, nil) }
      return state.zone != zone
    }
    if isOther { tell(.timeZoneChanged) }
  }

  private var zone: Zone {
    let file = "\(path)/\(Self.name)"
    return Zone(target: Folder.link(file) ?? "", bytes: (try? SmallFile.read(file, limit: 1 << 16)) ?? [])
  }

  private func tell(_ change: TimeChange) {
    guard state.withLock({ $0.telling.came(change) }) else { return }
    submit(change)
  }

  private func submit(_ change: TimeChange) {
    // Foundation keeps the zone that it has read once.
    if change == .timeZoneChanged { NSTimeZone.resetSystemTimeZone() }
    lifecycle.submit(.significantTimeChange, .system, .timeChange(change)) { [weak self] _ in
      guard let self else { return }
      if state.withLock({ $0.telling.ended(change) }) { loop.submit { self.submit(change) } }
    }
  }

  private func report(_ what: String, _ error: LinuxError) {
    lifecycle.hub.send(.sourceUnusable(.timeChange, message: "\(what): \(error)"))
  }
}
