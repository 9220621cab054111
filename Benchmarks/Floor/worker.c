// One of very many programs under a supervisor: tells a socket when it runs and when it reloads, and ends with SIGTERM.
//
//   worker SOCKET
#include <signal.h>
#include <sys/socket.h>
#include <sys/un.h>

#include "measure.h"

int main(int argc, char **argv) {
  sigset_t mask;
  sigemptyset(&mask);
  sigaddset(&mask, SIGHUP);
  sigaddset(&mask, SIGTERM);
  sigprocmask(SIG_BLOCK, &mask, NULL);
  if (argc != 2) return 64;
  struct sockaddr_un address = {.sun_family = AF_UNIX};
  snprintf(address.sun_path, sizeof address.sun_path, "%s", argv[1]);
  int counter = socket(AF_UNIX, SOCK_DGRAM, 0), number = 0;
  do {
    if (sendto(counter, number == SIGHUP ? "r" : "u", 1, 0, (struct sockaddr *)&address, sizeof address) != 1) return 1;
  } while (sigwait(&mask, &number) == 0 && number == SIGHUP);
}
