// The shape of ours with nothing in it: the handler on the first thread, which waits with all signals open as `async main`
// has it, a pipe to a loop on a second, and a futex to a third that would run what is foreign.
#include <linux/futex.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <sys/epoll.h>
#include <sys/syscall.h>

#include "measure.h"

enum { closed, open, awaited };

static int ends[2];
static _Atomic int gate = closed;

static void handler(int number) {
  int saved = errno;
  int record[6] = {number};
  if (write(ends[1], record, sizeof record) < 0) _exit(1);
  errno = saved;
}

static void block_signals(void) {
  sigset_t all;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, NULL);
}

static void *loop(void *unused) {
  (void)unused;
  block_signals();
  int others = epoll_create1(EPOLL_CLOEXEC), records[384];
  for (;;) {
    struct pollfd polled[2] = {{.fd = others, .events = POLLIN}, {.fd = ends[0], .events = POLLIN}};
    if (poll(polled, 2, -1) < 0) die("poll");
    ssize_t length = read(ends[0], records, sizeof records);
    if (length <= 0 || records[0] == SIGTERM) exit(0);
    if (atomic_exchange(&gate, open) == awaited) syscall(SYS_futex, &gate, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0);
  }
}

static void *deliver(void *unused) {
  (void)unused;
  block_signals();
  for (;;) {
    int word = open;
    if (atomic_compare_exchange_strong(&gate, &word, closed)) {
      stamp();
      continue;
    }
    if (word == closed && !atomic_compare_exchange_strong(&gate, &word, awaited)) continue;
    syscall(SYS_futex, &gate, FUTEX_WAIT_PRIVATE, awaited, NULL, NULL, 0);
  }
}

int main(void) {
  pthread_t threads[2];
  if (pipe(ends) < 0 || pthread_create(&threads[0], NULL, loop, NULL) != 0) die("start");
  if (pthread_create(&threads[1], NULL, deliver, NULL) != 0) die("pthread_create");
  struct sigaction action = {.sa_handler = handler, .sa_flags = SA_RESTART};
  for (int i = 0, all[] = {SIGUSR1, SIGUSR2, SIGTERM}; i < 3; i++) sigaction(all[i], &action, NULL);
  sigset_t none;
  sigemptyset(&none);
  while (true) sigsuspend(&none);
}
