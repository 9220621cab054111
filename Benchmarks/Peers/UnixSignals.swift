/// A peer: UnixSignals of swift-service-lifecycle, an AsyncSequence over Dispatch sources, without any post behind it.
import Glibc
import UnixSignals

@main struct Main {
  static func main() async {
    for await _ in await UnixSignalsSequence(trapping: [.sigusr1, .sigusr2]) {
      var time = timespec()
      clock_gettime(CLOCK_MONOTONIC, &time)
      var now = UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
      write(1, &now, 8)
    }
  }
}
