/// The thread for foreign code: order, tasks that prefer it, end.
import Glibc
import MediatorLinux
import Testing

@Suite("Delivery executor", .timeLimit(.minutes(5)))
struct DeliveryExecutorTests {
  @Test("closures and tasks run on the one thread")
  func oneThread() async throws {
    let delivery = try DeliveryExecutor(name: "delivery")
    let log = Log<pthread_t>()
    for _ in 0..<1000 { delivery.submit { log.add(pthread_self()) } }
    let task = Task(executorPreference: delivery) {
      log.add(pthread_self())
      await Task.yield()
      log.add(pthread_self())
      return delivery.isCurrent
    }
    #expect(await task.value)
    delivery.shutdown()
    #expect(log.count == 1002)
    #expect(Set(log.all).count == 1)
    #expect(!delivery.isCurrent)
  }

  @Test("each of four submitting threads finds its own work in order, none lost")
  func order() throws {
    let delivery = try DeliveryExecutor(name: "order")
    let log = Log<[Int]>()
    onThreads(4) { thread in for value in 0..<5000 { delivery.submit { log.add([thread, value]) } } }
    delivery.shutdown()
    for thread in 0..<4 { #expect(log.all.filter { $0[0] == thread }.map { $0[1] } == Array(0..<5000)) }
  }

  @Test("depth counts what waits behind a piece of work that does not end")
  func depth() throws {
    let delivery = try DeliveryExecutor(name: "depth")
    let (began, gate) = (Log<Int>(), Gate())
    delivery.submit {
      began.add(1)
      gate.waitOpen()
    }
    _ = began.wait(for: 1)
    for _ in 0..<3 { delivery.submit {} }
    #expect(delivery.depth == 3)
    gate.stayOpen()
    delivery.shutdown()
    #expect(delivery.depth == 0)
  }

  @Test("shutdown from the thread itself and twice from outside; a task that comes later is not lost")
  func shutdown() async throws {
    let delivery = try DeliveryExecutor(name: "end")
    let log = Log<Int>()
    delivery.submit {
      delivery.shutdown()
      log.add(1)
    }
    delivery.shutdown()
    delivery.shutdown()
    #expect(log.all == [1])
    #expect(await Task(executorPreference: delivery) { delivery.isCurrent }.value)
  }

  @Test("the thread has the mask of the process's first thread, whoever made it")
  func mask() {
    let log = Log<String>()
    onThreads(1) { _ in
      var everything = sigset_t()
      sigfillset(&everything)
      pthread_sigmask(SIG_SETMASK, &everything, nil)
      let delivery = try? DeliveryExecutor(name: "mask")
      delivery?.submit { log.add(statusLine("SigBlk", of: "thread-self")) }
      delivery?.shutdown()
      log.add(statusLine("SigBlk", of: "thread-self"))
    }
    #expect(log.all.first == statusLine("SigBlk", of: "self/task/\(getpid())"))
    #expect(log.all.first != log.all.last)
  }
}
