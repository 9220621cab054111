// A floor: posix_spawn, pidfd_open, poll, waitid. Prints the nanoseconds of each round.
//
//   spawn ROUNDS PROGRAM [ARGUMENT...]
#include <poll.h>
#include <spawn.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include "measure.h"

#ifndef P_PIDFD
#define P_PIDFD 3
#endif

extern char **environ;

int main(int argc, char **argv) {
  if (argc < 3) return 64;
  for (int round = atoi(argv[1]); round > 0; round--) {
    uint64_t began = now_ns();
    pid_t pid;
    if ((errno = posix_spawn(&pid, argv[2], NULL, NULL, argv + 2, environ)) != 0) die(argv[2]);
    struct pollfd ended = {.fd = (int)syscall(SYS_pidfd_open, pid, 0), .events = POLLIN};
    siginfo_t info;
    if (poll(&ended, 1, -1) < 0 || waitid((idtype_t)P_PIDFD, (id_t)ended.fd, &info, WEXITED) < 0) die("waitid");
    close(ended.fd);
    printf("%llu\n", (unsigned long long)(now_ns() - began));
  }
}
