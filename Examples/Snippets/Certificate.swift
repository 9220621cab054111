/// A listener that takes part in reloads: it reads first, and puts in force only what everybody has accepted.
import Foundation
import Mediator

actor Certificate: ReloadListener {
  private let file: URL
  private(set) var current = Data()
  private var replaced = Data()

  init(file: URL) { self.file = file }

  /// There is no old certificate to keep at the start, so a bad one fails it.
  func didFinishLaunching(_ transition: LifecycleTransition) throws { current = try read() }

  /// Changes nothing: whoever throws here refuses the reload for all.
  func prepareReload(_ transition: LifecycleTransition) throws -> Data { try read() }

  func reload(_ prepared: Data, _ transition: LifecycleTransition) {
    replaced = current
    current = prepared
  }

  func revertReload(_ transition: LifecycleTransition) { current = replaced }

  private func read() throws -> Data {
    let data = try Data(contentsOf: file)
    guard data.starts(with: Data("-----BEGIN CERTIFICATE-----".utf8)) else {
      throw LifecycleError(.listenerFailed, message: "\(file.path) is no certificate", advice: "it has to be PEM")
    }
    return data
  }
}
