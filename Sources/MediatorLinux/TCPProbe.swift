/// One attempt to connect to a TCP address, limited in time; the connection is closed at once.
package enum TCPProbe {
  /// Returns when somebody accepts connections there; blocks, `limit` at most. Fails as `StreamConnection` does.
  package static func connect(to address: SocketAddress, within limit: Duration) throws(LinuxError) {
    _ = try StreamConnection(to: address, until: MonotonicClock.microseconds(after: limit))
  }
}
