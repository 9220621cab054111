// Asks several servers in turn over one connection each, and prints a line of nanoseconds for each request a server.
// A request, and its answer, end with a zero byte.
//
//   ask BATCHES REQUESTS TEXT PATH [PATH...]
#include <sys/socket.h>
#include <sys/un.h>

#include "measure.h"

enum { most_servers = 4, most_batches = 1000 };

static double times[most_servers][most_batches];

static void ask(int server, const char *text) {
  char bytes[65536];
  ssize_t length = (ssize_t)strlen(text) + 1;
  if (write(server, text, (size_t)length) != length) die("write");
  do {
    if ((length = read(server, bytes, sizeof bytes)) <= 0) die("read");
  } while (bytes[length - 1] != 0);
}

int main(int argc, char **argv) {
  int servers[most_servers], count = argc - 4, batches = argc > 4 ? atoi(argv[1]) : 0;
  if (batches < 1 || batches > most_batches || count > most_servers) return 64;
  int requests = atoi(argv[2]);
  for (int i = 0; i < count; i++) {
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    snprintf(address.sun_path, sizeof address.sun_path, "%s", argv[4 + i]);
    servers[i] = socket(AF_UNIX, SOCK_STREAM, 0);
    if (connect(servers[i], (struct sockaddr *)&address, sizeof address) != 0) die(argv[4 + i]);
    ask(servers[i], argv[3]);
  }
  for (int batch = 0; batch < batches; batch++)
    for (int i = 0; i < count; i++) {
      uint64_t began = now_ns();
      for (int request = 0; request < requests; request++) ask(servers[i], argv[3]);
      times[i][batch] = (double)(now_ns() - began) / requests;
    }
  for (int i = 0; i < count; i++)
    for (int batch = 0; batch < batches; batch++) printf("%.0f%c", times[i][batch], batch + 1 < batches ? ' ' : '\n');
}
