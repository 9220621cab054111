// Threads with a mask of their own, the gate they wait at, and the eventfd that wakes them.
#include <errno.h>
#include <limits.h>
#include <linux/futex.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "CMediatorLinux.h"

struct start {
  void (*body)(void *);
  void *context;
  sigset_t mask;
  char name[16];
};

static _Thread_local const void *owner;

void mediator_thread_set_owner(const void *value) { owner = value; }

const void *mediator_thread_owner(void) { return owner; }

// Faults stay open: a blocked SIGSEGV kills without the runtime's backtrace.
static void all_but_faults(sigset_t *mask) {
  static const int faults[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGABRT, SIGSYS};
  sigfillset(mask);
  for (size_t i = 0; i < sizeof faults / sizeof *faults; i++) sigdelset(mask, faults[i]);
}

// A creator that is a pool's worker blocks nearly everything, and what the new thread spawns would inherit that.
// Only the first thread's mask is the process's own choice; another thread's mask is seen in /proc alone.
static void first_thread_mask(sigset_t *mask) {
  if (getpid() == gettid()) {
    pthread_sigmask(SIG_SETMASK, NULL, mask);
    return;
  }
  sigemptyset(mask);
  char path[64], line[256];
  snprintf(path, sizeof path, "/proc/self/task/%d/status", getpid());
  FILE *status = fopen(path, "re");
  if (!status) return;
  while (fgets(line, sizeof line, status)) {
    unsigned long long bits;
    if (sscanf(line, "SigBlk: %llx", &bits) != 1) continue;
    for (int number = 1; number <= 64; number++)
      if (bits >> (number - 1) & 1) sigaddset(mask, number);
    break;
  }
  fclose(status);
}

static void *run(void *argument) {
  struct start start = *(struct start *)argument;
  free(argument);
  prctl(PR_SET_NAME, start.name);
  pthread_sigmask(SIG_SETMASK, &start.mask, NULL);
  start.body(start.context);
  return NULL;
}

int mediator_thread_start(const char *name, enum mediator_mask mask, void (*body)(void *), void *context) {
  struct start *start = calloc(1, sizeof *start);
  if (!start) return -ENOMEM;
  start->body = body;
  start->context = context;
  strncpy(start->name, name, sizeof start->name - 1);
  if (mask == MEDIATOR_MASK_OF_FIRST_THREAD)
    first_thread_mask(&start->mask);
  else
    all_but_faults(&start->mask);

  pthread_attr_t attributes;
  sigset_t everything, before;
  pthread_t thread;
  pthread_attr_init(&attributes);
  pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
  sigfillset(&everything);
  pthread_sigmask(SIG_SETMASK, &everything, &before);
  int error = pthread_create(&thread, &attributes, run, start);
  pthread_sigmask(SIG_SETMASK, &before, NULL);
  pthread_attr_destroy(&attributes);
  if (error) free(start);
  return -error;
}

int mediator_thread_unblock(const int32_t *numbers, size_t count) {
  sigset_t set;
  sigemptyset(&set);
  for (size_t i = 0; i < count; i++)
    if (sigaddset(&set, numbers[i]) < 0) return -errno;
  return -pthread_sigmask(SIG_UNBLOCK, &set, NULL);
}

enum { GATE_CLOSED, GATE_OPEN, GATE_AWAITED };

struct mediator_gate {
  _Atomic int32_t word;
};

static void futex_wait(mediator_gate *gate, int32_t expected, const struct timespec *limit) {
  // Any return (woken, changed meanwhile, EINTR) is a reason to look again, and nothing else.
  syscall(SYS_futex, &gate->word, FUTEX_WAIT_PRIVATE, expected, limit, NULL, 0);
}

static void futex_wake(mediator_gate *gate, int count) {
  syscall(SYS_futex, &gate->word, FUTEX_WAKE_PRIVATE, count, NULL, NULL, 0);
}

mediator_gate *mediator_gate_new(void) { return calloc(1, sizeof(mediator_gate)); }

void mediator_gate_free(mediator_gate *gate) { free(gate); }

void mediator_gate_open(mediator_gate *gate) {
  if (atomic_exchange(&gate->word, GATE_OPEN) == GATE_AWAITED) futex_wake(gate, 1);
}

void mediator_gate_pass(mediator_gate *gate) {
  for (;;) {
    int32_t word = GATE_OPEN;
    if (atomic_compare_exchange_strong(&gate->word, &word, GATE_CLOSED)) return;
    if (word == GATE_CLOSED && !atomic_compare_exchange_strong(&gate->word, &word, GATE_AWAITED)) continue;
    futex_wait(gate, GATE_AWAITED, NULL);
  }
}

void mediator_gate_pass_within(mediator_gate *gate, int64_t nanoseconds) {
  struct timespec limit = {.tv_sec = nanoseconds / 1000000000, .tv_nsec = nanoseconds % 1000000000};
  int32_t word = GATE_OPEN;
  if (atomic_compare_exchange_strong(&gate->word, &word, GATE_CLOSED)) return;
  if (word == GATE_AWAITED || atomic_compare_exchange_strong(&gate->word, &word, GATE_AWAITED))
    futex_wait(gate, GATE_AWAITED, &limit);
  // Whatever ended the wait, nobody waits any more, and what was opened meanwhile is passed.
  atomic_store(&gate->word, GATE_CLOSED);
}

void mediator_gate_stay_open(mediator_gate *gate) {
  atomic_store(&gate->word, GATE_OPEN);
  futex_wake(gate, INT_MAX);
}

void mediator_gate_wait_open(mediator_gate *gate) {
  while (atomic_load(&gate->word) != GATE_OPEN) futex_wait(gate, GATE_CLOSED, NULL);
}

int mediator_eventfd(void) {
  int descriptor = eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
  return descriptor < 0 ? -errno : descriptor;
}

void mediator_eventfd_raise(int descriptor) {
  uint64_t one = 1;
  while (write(descriptor, &one, sizeof one) < 0 && errno == EINTR) continue;
}

void mediator_eventfd_clear(int descriptor) {
  uint64_t count;
  while (read(descriptor, &count, sizeof count) < 0 && errno == EINTR) continue;
}

int mediator_wait(int descriptor, struct mediator_urgent *urgent, size_t count, bool waits) {
  if (count > MEDIATOR_MOST_URGENT) return -EINVAL;
  struct pollfd entries[1 + MEDIATOR_MOST_URGENT] = {{.fd = descriptor, .events = POLLIN}};
  for (size_t i = 0; i < count; i++)
    entries[1 + i] = (struct pollfd){.fd = urgent[i].descriptor, .events = urgent[i].has_priority ? POLLPRI : POLLIN};
  while (poll(entries, 1 + count, waits ? -1 : 0) < 0)
    if (errno != EINTR) return -errno;
  int ready = 0;
  for (size_t i = 0; i < count; i++) {
    urgent[i].failed = entries[1 + i].revents & (POLLERR | POLLHUP | POLLNVAL);
    urgent[i].is_ready = entries[1 + i].revents & (POLLPRI | POLLIN);
    if (urgent[i].failed || urgent[i].is_ready) ready++;
  }
  return ready;
}

#if __has_feature(thread_sanitizer)
void __tsan_acquire(void *address);
void __tsan_release(void *address);
void mediator_tsan_acquire(void *address) { __tsan_acquire(address); }
void mediator_tsan_release(void *address) { __tsan_release(address); }
#else
void mediator_tsan_acquire(void *address) { (void)address; }
void mediator_tsan_release(void *address) { (void)address; }
#endif
