/// Writes what happens in the lifecycle, to its very last report, before the process exits.
import Foundation
import Mediator
import MediatorBridge

func runWithReports(_ bridge: LifecycleBridge) async -> Int32 {
  let reports = bridge.lifecycle.reports
  let writer = Task {
    for await report in reports { FileHandle.standardError.write(Data("\(report)\n".utf8)) }  // or your logger
  }
  let status = await bridge.run()
  await writer.value  // the reports end with the lifecycle
  return status
}
