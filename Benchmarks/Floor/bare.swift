/// What Swift and Foundation cost by themselves: READY=1 to $NOTIFY_SOCKET, then wait for SIGTERM.
import Foundation
import Glibc

let path = ProcessInfo.processInfo.environment["NOTIFY_SOCKET"] ?? ""
var address = sockaddr_un()
address.sun_family = sa_family_t(AF_UNIX)
withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8.prefix($0.count - 1)) }
let descriptor = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue), 0)
let ready = "READY=1"
let sent = withUnsafePointer(to: &address) {
  $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
    sendto(descriptor, ready, ready.utf8.count, 0, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
  }
}
guard sent == ready.utf8.count else { exit(1) }
signal(SIGTERM) { _ in _exit(0) }
while true { pause() }
