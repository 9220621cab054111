internal import Glibc
internal import MediatorBridge
internal import MediatorLinux

/// One look at whether a GET is answered with 200, at any address of a host; redirects are not followed.
///
/// The exchange is HTTP/1.1 without TLS, and reads no further than the status line.
struct HTTPProbe: Sendable, Equatable {
  var host: String
  var port: UInt16
  var path: String
  /// How long each address may take from the connect to the answer.
  var limit = Duration.seconds(1)

  /// Bytes that the status line may have.
  private static let longestStatusLine = 4096

  private enum Failure: Error {
    case system(LinuxError)
    case answer(String)
  }

  /// nil when one address answers 200; blocks as long as the resolver does, and then `limit` an address at most.
  func reasonAgainst() -> String? {
    let addresses: [SocketAddress]
    do throws(SocketAddress.ResolveError) {
      addresses = try SocketAddress.resolve(host: host, port: port)
    } catch {
      return "cannot look up the host: \(error)"
    }
    var (answer, code): (String?, Int32?)
    for address in addresses {
      do throws(Failure) {
        try exchange(with: address)
        return nil
      } catch {
        switch error {
        case .answer(let words): answer = words
        case .system(let error): if code == nil || !TCPLook.saysNothing(error.code) { code = error.code }
        }
      }
    }
    // An answer says more of the service than an address where nobody listens.
    return answer ?? code.map { LinuxError.text($0) } ?? "the host has no address"
  }

  private func exchange(with address: SocketAddress) throws(Failure) {
    let end = MonotonicClock.microseconds(after: limit)
    var line: [UInt8] = []
    do throws(LinuxError) {
      let connection = try StreamConnection(to: address, until: end)
      try connection.send(request, until: end)
      // What a server sends at once is taken in one piece, so that its last words do not meet a reset.
      while !line.contains(UInt8(ascii: "\n")), line.count < Self.longestStatusLine {
        let bytes = try connection.receive(limit: Self.longestStatusLine, until: end)
        if bytes.isEmpty { break }
        line += bytes
      }
    } catch {
      throw .system(error)
    }
    if line.isEmpty { throw .answer("closed without an answer") }
    guard let code = Self.code(of: line) else { throw .answer("the answer is not HTTP") }
    if code != 200 { throw .answer("answered \(code)") }
  }

  /// The code of a status line (RFC 9112, 4) that these bytes begin with; nil for anything else.
  static func code(of bytes: [UInt8]) -> Int? {
    func digit(_ index: Int) -> Int? { (0...9).contains(Int(bytes[index]) - 0x30) ? Int(bytes[index]) - 0x30 : nil }
    guard let end = bytes.prefix(longestStatusLine).firstIndex(of: UInt8(ascii: "\n")), end >= 12,
      bytes.starts(with: "HTTP/1.".utf8), digit(7) != nil, bytes[8] == UInt8(ascii: " "),
      let hundreds = digit(9), hundreds > 0, let tens = digit(10), let ones = digit(11),
      [UInt8(ascii: " "), UInt8(ascii: "\r"), UInt8(ascii: "\n")].contains(bytes[12])
    else { return nil }
    return hundreds * 100 + tens * 10 + ones
  }

  /// The request as it is sent.
  var request: [UInt8] {
    let lines = [
      "GET \(target) HTTP/1.1", "Host: \(hostField)", "User-Agent: lifecycled", "Accept: */*", "Connection: close", "",
      "",
    ]
    return Array(lines.joined(separator: "\r\n").utf8)
  }

  /// What may not stand in a request line is sent as %XX.
  private var target: String {
    let hexDigits = Array("0123456789ABCDEF".utf8)
    var bytes: [UInt8] = path.hasPrefix("/") ? [] : [UInt8(ascii: "/")]
    for byte in path.utf8 {
      if byte > 0x20, byte < 0x7F {
        bytes.append(byte)
      } else {
        bytes += [UInt8(ascii: "%"), hexDigits[Int(byte >> 4)], hexDigits[Int(byte & 0xF)]]
      }
    }
    return String(decoding: bytes, as: UTF8.self)
  }

  /// An IPv6 address stands in brackets and without its zone (RFC 6874).
  private var hostField: String {
    let graphic = String(decoding: host.utf8.filter { $0 > 0x20 && $0 < 0x7F }, as: UTF8.self)
    let isIPv6 = graphic.utf8.contains(UInt8(ascii: ":"))
    let name = isIPv6 ? "[\(graphic.prefix { $0 != "%" })]" : graphic
    return port == 80 ? name : "\(name):\(port)"
  }
}
