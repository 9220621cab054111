// What the machine has to say: its clock was set, a file was replaced; and what is done about scarce memory.
#include <errno.h>
#include <malloc.h>
#include <stdint.h>
#include <string.h>
#include <sys/inotify.h>
#include <sys/socket.h>
#include <sys/timerfd.h>
#include <sys/uio.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

#include "CMediatorLinux.h"

static int arm(int descriptor) {
  // Far away, and still before where a 64-bit count of nanoseconds ends.
  struct itimerspec never = {.it_value = {.tv_sec = INT64_C(1) << 33}};
  return timerfd_settime(descriptor, TFD_TIMER_ABSTIME | TFD_TIMER_CANCEL_ON_SET, &never, NULL) < 0 ? -errno : 0;
}

int mediator_clock_watch(void) {
  int descriptor = timerfd_create(CLOCK_REALTIME, TFD_NONBLOCK | TFD_CLOEXEC);
  if (descriptor < 0) return -errno;
  int result = arm(descriptor);
  if (result < 0) {
    close(descriptor);
    return result;
  }
  return descriptor;
}

int mediator_clock_was_set(int descriptor) {
  uint64_t count;
  ssize_t length;
  do {
    length = read(descriptor, &count, sizeof count);
  } while (length < 0 && errno == EINTR);
  if (length < 0) return errno == ECANCELED ? 1 : errno == EAGAIN ? 0 : -errno;
  return length > 0 ? 1 : -EPIPE;
}

int mediator_folder_watch(const char *path) {
  int descriptor = inotify_init1(IN_NONBLOCK | IN_CLOEXEC);
  if (descriptor < 0) return -errno;
  uint32_t mask = IN_CREATE | IN_DELETE | IN_MOVED_FROM | IN_MOVED_TO | IN_CLOSE_WRITE | IN_DELETE_SELF | IN_MOVE_SELF;
  if (inotify_add_watch(descriptor, path, mask | IN_ONLYDIR) < 0) {
    int error = errno;
    close(descriptor);
    return -error;
  }
  return descriptor;
}

int mediator_folder_changed(int descriptor, const char *name) {
  _Alignas(struct inotify_event) char buffer[4096];
  int result = 0;
  for (;;) {
    ssize_t length = read(descriptor, buffer, sizeof buffer);
    if (length < 0 && errno == EINTR) continue;
    if (length < 0) return errno == EAGAIN ? result : -errno;
    for (char *at = buffer; at < buffer + length;) {
      struct inotify_event event;
      memcpy(&event, at, sizeof event);
      const char *entry = at + sizeof event;
      bool concerns = event.len > 0 && (*name == '\0' || strcmp(entry, name) == 0);
      if (event.mask & (IN_DELETE_SELF | IN_MOVE_SELF | IN_UNMOUNT | IN_IGNORED)) result = 2;
      if (result == 0 && (concerns || event.mask & IN_Q_OVERFLOW)) result = 1;
      at += sizeof event + event.len;
    }
  }
}

int mediator_connect_path(const char *path) {
  struct sockaddr_un address = {.sun_family = AF_UNIX};
  size_t length = strlen(path);
  if (length >= sizeof address.sun_path) return -ENAMETOOLONG;
  memcpy(address.sun_path, path, length);
  int descriptor = socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
  if (descriptor < 0) return -errno;
  if (connect(descriptor, (struct sockaddr *)&address, sizeof address) == 0) return descriptor;
  int error = errno;
  close(descriptor);
  return -error;
}

bool mediator_malloc_trim(void) { return malloc_trim(0); }

void mediator_malloc_one_heap(void) { mallopt(M_ARENA_MAX, 1); }

ssize_t mediator_write_now(int descriptor, const void *bytes, size_t length) {
  struct iovec part = {.iov_base = (void *)bytes, .iov_len = length};
  ssize_t count = pwritev2(descriptor, &part, 1, -1, RWF_NOWAIT);
  return count < 0 ? -errno : count;
}

char **mediator_environment(void) { return environ; }
