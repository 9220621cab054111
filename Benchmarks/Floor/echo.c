// A floor: sends back what comes over a unix socket, to any number of peers. Ends with SIGTERM.
//
//   echo PATH
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/un.h>

#include "measure.h"

int main(int argc, char **argv) {
  if (argc != 2) return 64;
  struct sockaddr_un address = {.sun_family = AF_UNIX};
  snprintf(address.sun_path, sizeof address.sun_path, "%s", argv[1]);
  int listener = socket(AF_UNIX, SOCK_STREAM, 0), queue = epoll_create1(0);
  if (bind(listener, (struct sockaddr *)&address, sizeof address) != 0 || listen(listener, 8) != 0) die(argv[1]);
  struct epoll_event event = {.events = EPOLLIN, .data.fd = listener};
  epoll_ctl(queue, EPOLL_CTL_ADD, listener, &event);
  while (epoll_wait(queue, &event, 1, -1) >= 0) {
    if (event.data.fd == listener) {
      event = (struct epoll_event){.events = EPOLLIN, .data.fd = accept(listener, NULL, NULL)};
      epoll_ctl(queue, EPOLL_CTL_ADD, event.data.fd, &event);
      continue;
    }
    char bytes[16384];
    ssize_t length = read(event.data.fd, bytes, sizeof bytes);
    if (length <= 0 || write(event.data.fd, bytes, (size_t)length) != length) close(event.data.fd);
  }
}
