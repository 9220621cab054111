// The one signal handler of the process, and the pipe it writes to.
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "CMediatorLinux.h"

enum { LAST_SIGNAL = 64 };
enum { UNTOUCHED, CLAIMED, IGNORED };

// The pipe is made once and never closed: a handler may still be on its way on another thread when a claim is
// released, and the number of a closed descriptor may already be somebody else's file.
static int pipe_ends[2] = {-1, -1};
static _Atomic pid_t holder;
static _Atomic uint32_t unrecorded[LAST_SIGNAL + 1];
static _Atomic bool any_unrecorded;

// Guarded by `lock`; the handler reads none of it.
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static bool held;
static unsigned char role[LAST_SIGNAL + 1];
static struct sigaction before[LAST_SIGNAL + 1];

// A record that does not fit is counted BEFORE an empty one is tried: if that fits, the reader wakes and sees the
// count; if not, the pipe was full after the count was made, so the reader has yet to come. Counting only what has no
// record is what keeps one signal from being told twice.
static void handler(int number, siginfo_t *info, void *context) {
  (void)context;
  int saved = errno;
  if (getpid() != atomic_load_explicit(&holder, memory_order_relaxed)) {
    // A fork without exec: the pipe is the parent's, the signal is not.
    signal(number, SIG_DFL);
    kill(getpid(), number);
    errno = saved;
    return;
  }
  struct mediator_signal_record record = {.number = number, .code = info->si_code};
  int code = info->si_code;
  if (code == SI_USER || code == SI_QUEUE || code == SI_TKILL) {  // for other codes the same bytes mean other things
    record.pid = info->si_pid;
    record.uid = info->si_uid;
    record.value = code == SI_QUEUE ? info->si_value.sival_int : 0;
  }
  if (write(pipe_ends[1], &record, sizeof record) < 0) {
    atomic_fetch_add(&unrecorded[number], 1);
    atomic_store(&any_unrecorded, true);
    record = (struct mediator_signal_record){0};
    ssize_t ignored = write(pipe_ends[1], &record, sizeof record);
    (void)ignored;
  }
  errno = saved;
}

static bool valid(int32_t number) { return number >= 1 && number <= LAST_SIGNAL; }

static int install(int32_t number, int as) {
  struct sigaction action = {0};
  sigfillset(&action.sa_mask);
  if (as == CLAIMED) {
    action.sa_sigaction = handler;
    action.sa_flags = SA_SIGINFO | SA_RESTART | SA_ONSTACK;
  } else {
    action.sa_handler = SIG_IGN;
  }
  struct sigaction earlier;
  if (sigaction(number, &action, &earlier) < 0) return -errno;
  if (role[number] == UNTOUCHED) before[number] = earlier;
  role[number] = as;
  return 0;
}

static void put_back(void) {
  for (int number = 1; number <= LAST_SIGNAL; number++) {
    if (role[number] != UNTOUCHED) sigaction(number, &before[number], NULL);
    role[number] = UNTOUCHED;
  }
  held = false;
}

static int open_pipe(void) {
  if (pipe_ends[0] >= 0) return 0;
  int ends[2];
  if (pipe2(ends, O_NONBLOCK | O_CLOEXEC) < 0) return -errno;
  pipe_ends[0] = ends[0];
  pipe_ends[1] = ends[1];
  return 0;
}

// What an earlier claim left behind is not this one's.
static void forget_old_records(void) {
  struct mediator_signal_record records[64];
  while (mediator_signals_read(records, 64) > 0) continue;
  for (int number = 1; number <= LAST_SIGNAL; number++) atomic_store(&unrecorded[number], 0);
}

static int claim(const int32_t *claimed, size_t claimed_count, const int32_t *ignored, size_t ignored_count) {
  if (held) return -EBUSY;
  int result = open_pipe();
  if (result < 0) return result;
  forget_old_records();
  held = true;
  atomic_store(&holder, getpid());
  for (size_t i = 0; i < ignored_count && result == 0; i++)
    result = valid(ignored[i]) ? install(ignored[i], IGNORED) : -EINVAL;
  for (size_t i = 0; i < claimed_count && result == 0; i++)
    result = valid(claimed[i]) ? install(claimed[i], CLAIMED) : -EINVAL;
  if (result < 0) put_back();
  return result;
}

int mediator_signals_claim(const int32_t *claimed, size_t claimed_count, const int32_t *ignored, size_t ignored_count) {
  pthread_mutex_lock(&lock);
  int result = claim(claimed, claimed_count, ignored, ignored_count);
  pthread_mutex_unlock(&lock);
  return result;
}

int mediator_signals_extend(const int32_t *claimed, size_t count) {
  pthread_mutex_lock(&lock);
  int result = held ? 0 : -EINVAL;
  for (size_t i = 0; i < count && result == 0; i++)
    result = valid(claimed[i]) ? install(claimed[i], CLAIMED) : -EINVAL;
  pthread_mutex_unlock(&lock);
  return result;
}

void mediator_signals_release(void) {
  pthread_mutex_lock(&lock);
  put_back();
  pthread_mutex_unlock(&lock);
}

int mediator_signals_descriptor(void) { return pipe_ends[0]; }

ssize_t mediator_signals_read(struct mediator_signal_record *records, size_t count) {
  ssize_t length;
  do {
    length = read(pipe_ends[0], records, count * sizeof *records);
  } while (length < 0 && errno == EINTR);
  return length < 0 ? 0 : length / (ssize_t)sizeof *records;
}

bool mediator_signals_any_unrecorded(void) { return atomic_exchange(&any_unrecorded, false); }

uint32_t mediator_signals_take_unrecorded(int32_t number) {
  return valid(number) ? atomic_exchange(&unrecorded[number], 0) : 0;
}

bool mediator_signal_in_place(int32_t number) {
  struct sigaction now;
  if (!valid(number) || sigaction(number, NULL, &now) < 0) return true;
  pthread_mutex_lock(&lock);
  int as = role[number];
  pthread_mutex_unlock(&lock);
  if (as == CLAIMED) return now.sa_flags & SA_SIGINFO && now.sa_sigaction == handler;
  return as == UNTOUCHED || (!(now.sa_flags & SA_SIGINFO) && now.sa_handler == SIG_IGN);
}

// The mask that a signalfd has now is told by /proc alone.
static bool signalfd_mask(int descriptor, sigset_t *mask) {
  char path[64], line[256];
  bool found = false;
  snprintf(path, sizeof path, "/proc/self/fdinfo/%d", descriptor);
  FILE *info = fopen(path, "re");
  if (!info) return false;
  sigemptyset(mask);
  while (!found && fgets(line, sizeof line, info)) {
    unsigned long long bits;
    if (sscanf(line, "sigmask: %llx", &bits) != 1) continue;
    for (int number = 1; number <= LAST_SIGNAL; number++)
      if (bits >> (number - 1) & 1) sigaddset(mask, number);
    found = true;
  }
  fclose(info);
  return found;
}

static void take_from_signalfds(int32_t number) {
  DIR *folder = opendir("/proc/self/fd");
  if (!folder) return;
  for (struct dirent *entry; (entry = readdir(folder));) {
    int descriptor = atoi(entry->d_name);
    sigset_t mask;
    if (entry->d_name[0] == '.' || !signalfd_mask(descriptor, &mask) || !sigismember(&mask, number)) continue;
    sigdelset(&mask, number);
    signalfd(descriptor, &mask, 0);  // EINVAL if the number is another file by now
  }
  closedir(folder);
}

int mediator_signal_reclaim(int32_t number) {
  pthread_mutex_lock(&lock);
  int result = valid(number) && role[number] != UNTOUCHED ? install(number, role[number]) : -EINVAL;
  pthread_mutex_unlock(&lock);
  if (result == 0) take_from_signalfds(number);
  return result;
}

bool mediator_signal_ignored_before(int32_t number) {
  struct sigaction now;
  if (!valid(number) || sigaction(number, NULL, &now) < 0) return false;
  pthread_mutex_lock(&lock);
  if (role[number] != UNTOUCHED) now = before[number];
  pthread_mutex_unlock(&lock);
  return !(now.sa_flags & SA_SIGINFO) && now.sa_handler == SIG_IGN;
}

bool mediator_signal_code_is_kernel(int32_t code) { return code == SI_KERNEL; }

bool mediator_signal_code_is_queue(int32_t code) { return code == SI_QUEUE; }

int mediator_signal_set_default(int32_t number) { return signal(number, SIG_DFL) == SIG_ERR ? -errno : 0; }

// Sent to this thread alone: it is stopped, and all others with it, before raise() returns.
void mediator_stop_self(void) {
  struct sigaction usual = {.sa_handler = SIG_DFL}, earlier;
  sigset_t only, mask;
  sigemptyset(&only);
  sigaddset(&only, SIGTSTP);
  pthread_mutex_lock(&lock);
  sigaction(SIGTSTP, &usual, &earlier);
  pthread_sigmask(SIG_UNBLOCK, &only, &mask);
  raise(SIGTSTP);
  pthread_sigmask(SIG_SETMASK, &mask, NULL);
  sigaction(SIGTSTP, &earlier, NULL);
  pthread_mutex_unlock(&lock);
}
