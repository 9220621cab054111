// Children: posix_spawn with everything that must not be inherited left out, and pidfds to watch and signal them by.
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "CMediatorLinux.h"

#ifndef P_PIDFD
#define P_PIDFD 3
#endif

static int set_attributes(posix_spawnattr_t *attributes) {
  sigset_t none, all;
  sigemptyset(&none);
  sigfillset(&all);
  int error = posix_spawnattr_setflags(
      attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETPGROUP);
  if (!error) error = posix_spawnattr_setsigmask(attributes, &none);
  if (!error) error = posix_spawnattr_setsigdefault(attributes, &all);
  if (!error) error = posix_spawnattr_setpgroup(attributes, 0);
  return error;
}

static int highest_target(const struct mediator_passed *passed, size_t count) {
  int highest = 2;
  for (size_t i = 0; i < count; i++)
    if (passed[i].target > highest) highest = passed[i].target;
  return highest;
}

static bool is_target(int number, const struct mediator_passed *passed, size_t count) {
  for (size_t i = 0; i < count; i++)
    if (passed[i].target == number) return true;
  return false;
}

// The copies lie above every target, so no action overwrites what a later one needs, and none is a copy onto itself,
// which would leave close-on-exec set.
static int copy_sources(const struct mediator_passed *passed, size_t count, int copies[]) {
  int lowest = highest_target(passed, count) + 1;
  for (size_t i = 0; i < count; i++) copies[i] = -1;
  for (size_t i = 0; i < count; i++) {
    if (passed[i].target < 3 || passed[i].target > MEDIATOR_HIGHEST_TARGET) return EBADF;
    copies[i] = fcntl(passed[i].source, F_DUPFD_CLOEXEC, lowest);
    if (copies[i] < 0) return errno;
  }
  return 0;
}

// closefrom is the last action: whatever another thread opened meanwhile, also without O_CLOEXEC, goes with it; below
// it each number that is no target is closed by itself, which is no error where nothing is open.
static int set_actions(posix_spawn_file_actions_t *actions, const struct mediator_spawn_request *request, int write_end,
                       const int copies[]) {
  enum mediator_output output = request->output;
  size_t count = request->passed_count;
  int error = posix_spawn_file_actions_addopen(actions, 0, "/dev/null", O_RDONLY, 0);
  if (!error && output == MEDIATOR_OUTPUT_NULL) error = posix_spawn_file_actions_addopen(actions, 1, "/dev/null", O_WRONLY, 0);
  if (!error && write_end >= 0) error = posix_spawn_file_actions_adddup2(actions, write_end, 1);
  if (!error && output != MEDIATOR_OUTPUT_INHERIT) error = posix_spawn_file_actions_adddup2(actions, 1, 2);
  if (!error && request->directory) error = posix_spawn_file_actions_addchdir_np(actions, request->directory);
  for (size_t i = 0; i < count && !error; i++)
    error = posix_spawn_file_actions_adddup2(actions, copies[i], request->passed[i].target);
  int highest = highest_target(request->passed, count);
  for (int number = 3; number < highest && !error; number++)
    if (!is_target(number, request->passed, count)) error = posix_spawn_file_actions_addclose(actions, number);
  if (!error) error = posix_spawn_file_actions_addclosefrom_np(actions, highest + 1);
  return error;
}

// The write end must not be 0, 1 or 2 itself (a process may run with those closed), or the child's own actions would
// overwrite it before they use it; and a child's end blocks, as programs expect of their output.
int mediator_pipe(int32_t ends[2]) {
  if (pipe2(ends, O_CLOEXEC) < 0) return -errno;
  for (int i = 0; i < 2; i++) {
    if (ends[i] > 2) continue;
    int moved = fcntl(ends[i], F_DUPFD_CLOEXEC, 3);
    int error = errno;
    close(ends[i]);
    ends[i] = moved;
    if (moved >= 0) continue;
    close(ends[1 - i]);
    return -error;
  }
  if (fcntl(ends[0], F_SETFL, O_NONBLOCK) == 0) return 0;
  int error = errno;
  close(ends[0]);
  close(ends[1]);
  return -error;
}

static int spawn_with(const struct mediator_spawn_request *request, int write_end, const int copies[], pid_t *pid) {
  posix_spawnattr_t attributes;
  posix_spawn_file_actions_t actions;
  int error = posix_spawnattr_init(&attributes);
  if (error) return error;
  error = posix_spawn_file_actions_init(&actions);
  if (!error) {
    error = set_attributes(&attributes);
    if (!error) error = set_actions(&actions, request, write_end, copies);
    if (!error)
      error = posix_spawn(pid, request->executable, &actions, &attributes, request->arguments, request->environment);
    posix_spawn_file_actions_destroy(&actions);
  }
  posix_spawnattr_destroy(&attributes);
  return error;
}

static int spawn(const struct mediator_spawn_request *request, int write_end, pid_t *pid, const char **call) {
  size_t count = request->passed_count;
  int none[1];
  int *copies = count ? malloc(count * sizeof *copies) : none;
  if (!copies) return ENOMEM;
  *call = "fcntl";
  int error = copy_sources(request->passed, count, copies);
  if (!error) {
    *call = "posix_spawn";
    error = spawn_with(request, write_end, copies, pid);
  }
  for (size_t i = 0; i < count; i++)
    if (copies[i] >= 0) close(copies[i]);
  if (copies != none) free(copies);
  return error;
}

void mediator_kill_and_reap(int32_t pid) {
  kill(-pid, SIGKILL);
  while (waitpid(pid, NULL, 0) < 0 && errno == EINTR) continue;
}

int mediator_spawn(const struct mediator_spawn_request *request, struct mediator_child *child, const char **call) {
  int32_t ends[2] = {-1, -1};
  *call = "pipe2";
  bool held = request->output == MEDIATOR_OUTPUT_PIPE_HELD_OPEN;
  int error = held || request->output == MEDIATOR_OUTPUT_PIPE ? -mediator_pipe(ends) : 0;
  if (error) return -error;
  pid_t pid;
  error = spawn(request, ends[1], &pid, call);
  if (ends[1] >= 0 && (error || !held)) close(ends[1]);
  if (!error) {
    // Not reaped yet, so the number cannot have become another process's.
    *call = "pidfd_open";
    int pidfd = syscall(SYS_pidfd_open, pid, 0);
    if (pidfd >= 0) {
      *child = (struct mediator_child){.pid = pid, .pidfd = pidfd, .output = ends[0], .held = held ? ends[1] : -1};
      return 0;
    }
    error = errno;
    if (error != ESRCH) mediator_kill_and_reap(pid);  // ESRCH: somebody's waitpid(-1) was faster
    if (held) close(ends[1]);
  }
  if (ends[0] >= 0) close(ends[0]);
  const char *directory = request->directory;
  if (directory && access(directory, X_OK) < 0 && errno == error) *call = "chdir";
  return -error;
}

static int look_at(idtype_t type, id_t which, bool keep, struct mediator_exit *result) {
  siginfo_t info;
  *result = (struct mediator_exit){0};
  do {
    info.si_pid = 0;
    if (waitid(type, which, &info, WEXITED | WNOHANG | (keep ? WNOWAIT : 0)) == 0) {
      result->ended = info.si_pid != 0;
      result->signalled = info.si_code != CLD_EXITED;
      result->core_dumped = info.si_code == CLD_DUMPED;
      result->status = info.si_status;
      return 0;
    }
  } while (errno == EINTR);
  return -errno;
}

int mediator_reap(int pidfd, bool keep, struct mediator_exit *result) {
  return look_at((idtype_t)P_PIDFD, pidfd, keep, result);
}

int mediator_reap_child(int32_t pid, struct mediator_exit *result) { return look_at(P_PID, pid, false, result); }

int mediator_pidfd_open(int32_t pid) {
  int descriptor = syscall(SYS_pidfd_open, pid, 0);
  return descriptor < 0 ? -errno : descriptor;
}

int mediator_pidfd_send_signal(int pidfd, int32_t number) {
  return syscall(SYS_pidfd_send_signal, pidfd, number, NULL, 0) < 0 ? -errno : 0;
}

enum { SIGNAL_PROCESS_GROUP = 1 << 2 };  // PIDFD_SIGNAL_PROCESS_GROUP, missing from older headers

int mediator_pidfd_signal_group(int pidfd, int32_t number) {
  return syscall(SYS_pidfd_send_signal, pidfd, number, NULL, SIGNAL_PROCESS_GROUP) < 0 ? -errno : 0;
}

int mediator_readable_bytes(int descriptor) {
  int count = 0;
  return ioctl(descriptor, FIONREAD, &count) < 0 ? -errno : count;
}

int mediator_initgroups(const char *user, uint32_t gid) { return initgroups(user, gid) < 0 ? -errno : 0; }

bool mediator_has_attribute(const char *path, const char *name, const char *value) {
  char found[64];
  ssize_t length = getxattr(path, name, found, sizeof found);
  return length >= 0 && (size_t)length == strlen(value) && memcmp(found, value, length) == 0;
}
