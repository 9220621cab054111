// A floor: takes what a child says through sd_notify(3) with recvmmsg(2), sixteen at once, looks whether it is a barrier,
// and does nothing else.
//
//   receive PROGRAM [ARGUMENT...]
#include <poll.h>
#include <spawn.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <sys/wait.h>

#include "measure.h"

enum { at_once = 16, most_bytes = 4097 };

static char texts[at_once][most_bytes];
static union {
  char bytes[256];
  struct cmsghdr header;
} controls[at_once];

static void close_descriptors(struct msghdr *message) {
  for (struct cmsghdr *it = CMSG_FIRSTHDR(message); it; it = CMSG_NXTHDR(message, it)) {
    if (it->cmsg_level != SOL_SOCKET || it->cmsg_type != SCM_RIGHTS) continue;
    for (size_t i = 0; i < (it->cmsg_len - CMSG_LEN(0)) / sizeof(int); i++) close(((int *)CMSG_DATA(it))[i]);
  }
}

static void receive(int receiver) {
  struct mmsghdr messages[at_once] = {0};
  struct iovec places[at_once];
  for (int i = 0; i < at_once; i++) {
    places[i] = (struct iovec){texts[i], most_bytes};
    messages[i].msg_hdr = (struct msghdr){
        .msg_iov = &places[i], .msg_iovlen = 1, .msg_control = &controls[i], .msg_controllen = sizeof controls[i]};
  }
  int count = recvmmsg(receiver, messages, at_once, MSG_DONTWAIT | MSG_CMSG_CLOEXEC, NULL);
  for (int i = 0; i < count; i++) close_descriptors(&messages[i].msg_hdr);
}

int main(int argc, char **argv) {
  if (argc < 2) return 64;
  char folder[] = "/tmp/receive-XXXXXX", variable[160];
  if (!mkdtemp(folder)) die("mkdtemp");
  struct sockaddr_un address = {.sun_family = AF_UNIX};
  snprintf(address.sun_path, sizeof address.sun_path, "%s/notify", folder);
  int receiver = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0), yes = 1;
  if (receiver < 0 || bind(receiver, (struct sockaddr *)&address, sizeof address) != 0) die("bind");
  setsockopt(receiver, SOL_SOCKET, SO_PASSCRED, &yes, sizeof yes);
  snprintf(variable, sizeof variable, "NOTIFY_SOCKET=%s", address.sun_path);
  char *environment[] = {variable, NULL};
  pid_t pid;
  if ((errno = posix_spawn(&pid, argv[1], NULL, NULL, argv + 1, environment)) != 0) die(argv[1]);
  struct pollfd both[] = {{.fd = receiver, .events = POLLIN}, {.fd = (int)syscall(SYS_pidfd_open, pid, 0), .events = POLLIN}};
  while (poll(both, 2, -1) >= 0) {
    if (both[0].revents) receive(receiver);
    if (both[1].revents) break;
  }
  int status;
  waitpid(pid, &status, 0);
  unlink(address.sun_path);
  rmdir(folder);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}
