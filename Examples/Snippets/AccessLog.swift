/// A listener for a signal without another meaning: SIGRTMIN+1 opens the log file again, for logrotate(8).
import Foundation
import Mediator
import MediatorBridge

actor AccessLog: SignalListener {
  nonisolated let signals: Set<SignalNumber> = [.realtime(1)]
  private let path: String
  private var file: FileHandle?

  init(path: String) { self.path = path }

  func didFinishLaunching(_ transition: LifecycleTransition) throws { try open() }

  func didReceiveSignal(_ transition: LifecycleTransition) throws { try open() }

  func willTerminate(_ transition: LifecycleTransition) throws { try file?.close() }

  func write(_ line: String) throws { try file?.write(contentsOf: Data("\(line)\n".utf8)) }

  private func open() throws {
    if !FileManager.default.fileExists(atPath: path) { _ = FileManager.default.createFile(atPath: path, contents: nil) }
    let new = try FileHandle(forWritingTo: URL(filePath: path))
    try new.seekToEnd()
    try file?.close()
    file = new
  }
}
