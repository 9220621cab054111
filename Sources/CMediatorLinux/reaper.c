// SIGCHLD for whoever reaps orphans, and the calls that tell of children by number.
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "CMediatorLinux.h"

// Made once and never closed: a handler may still be on its way on another thread when the claim is released.
static int wake_descriptor = -1;
static _Atomic pid_t holder;  // 0: nobody claims it

// Guarded by `lock`; the handler reads none of it.
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct sigaction before;

static void handler(int number) {
  (void)number;
  int saved = errno;
  // A fork without exec has a copy of the handler, and the descriptor is its parent's.
  if (getpid() == atomic_load_explicit(&holder, memory_order_relaxed)) mediator_eventfd_raise(wake_descriptor);
  errno = saved;
}

static int claim(void) {
  if (atomic_load(&holder) == getpid()) return -EBUSY;
  if (wake_descriptor < 0) {
    int made = mediator_eventfd();
    if (made < 0) return made;
    wake_descriptor = made;
  }
  mediator_eventfd_clear(wake_descriptor);
  struct sigaction action = {.sa_handler = handler, .sa_flags = SA_RESTART | SA_NOCLDSTOP | SA_ONSTACK};
  sigfillset(&action.sa_mask);
  if (sigaction(SIGCHLD, &action, &before) < 0) return -errno;
  atomic_store(&holder, getpid());
  return wake_descriptor;
}

int mediator_child_signal_claim(void) {
  pthread_mutex_lock(&lock);
  int result = claim();
  pthread_mutex_unlock(&lock);
  return result;
}

void mediator_child_signal_release(void) {
  pthread_mutex_lock(&lock);
  if (atomic_exchange(&holder, 0) == getpid()) sigaction(SIGCHLD, &before, NULL);
  pthread_mutex_unlock(&lock);
}

void mediator_child_signal_raise(void) {
  if (getpid() == atomic_load(&holder)) mediator_eventfd_raise(wake_descriptor);
}

void mediator_child_signal_clear(void) { mediator_eventfd_clear(wake_descriptor); }

int32_t mediator_first_ended_child(void) {
  siginfo_t info;
  do {
    info.si_pid = 0;
    if (waitid(P_ALL, 0, &info, WEXITED | WNOHANG | WNOWAIT) == 0) return info.si_pid;
  } while (errno == EINTR);
  return -errno;
}

bool mediator_is_subreaper(void) {
  int is = 0;
  return prctl(PR_GET_CHILD_SUBREAPER, &is) == 0 && is;
}

int mediator_set_subreaper(bool is) { return prctl(PR_SET_CHILD_SUBREAPER, is, 0, 0, 0) < 0 ? -errno : 0; }
