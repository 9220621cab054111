/// A TCP server that greets and echoes: what a daemon looks like that embeds the mediator.
import Foundation
import Mediator
import MediatorBridge

@main
struct Main {
  static func main() async {
    guard let options = Options(CommandLine.arguments.dropFirst()) else {
      report("usage: EchoServer [--port PORT] [--greeting FILE] [--control SOCKET]")
      exit(64)
    }
    do {
      // In the order of their dependence: the acceptor greets with what the greeting has read. On the way down the
      // mediator goes through them backwards.
      let greeting = Greeting(file: options.greetingFile)
      let tally = Tally()
      let bridge = try LifecycleBridge {
        greeting
        tally
        Acceptor(port: options.port, greeting: greeting, tally: tally)
      }
      tally.save(with: bridge.lifecycle)
      // varlinkctl, and lifecycled with --control, ask it how it is, and steer it.
      if let path = options.control { _ = try ControlServer(for: bridge, at: path) }
      let reports = bridge.lifecycle.reports
      let log = Task {
        for await happened in reports { happened.line.map(report) }
      }
      let status = await bridge.run()
      // The reports end with the lifecycle: nothing that was said on the way out is lost.
      await log.value
      exit(status)
    } catch {
      report(error.description)
      exit(70)
    }
  }

  private static func report(_ line: String) {
    // A log that nobody reads any more is no reason to fall over.
    try? FileHandle.standardError.write(contentsOf: Data("\(line)\n".utf8))
  }
}

private struct Options {
  var port: UInt16 = 7007
  var greetingFile: String?
  var control: String?

  /// nil when the words make no sense.
  init?(_ words: ArraySlice<String>) {
    var words = words
    while let word = words.popFirst() {
      guard let value = words.popFirst() else { return nil }
      switch word {
      case "--port":
        guard let number = UInt16(value) else { return nil }
        port = number
      case "--greeting": greetingFile = value
      case "--control": control = value
      default: return nil
      }
    }
  }
}
