// A floor: a handler of sigaction(2) that writes into a pipe, and a loop that reads it.
#include <signal.h>

#include "measure.h"

static int ends[2];

static void handler(int number) {
  int saved = errno;
  char byte = (char)number;
  if (write(ends[1], &byte, 1) < 0) _exit(1);
  errno = saved;
}

int main(void) {
  if (pipe(ends) < 0) die("pipe");
  struct sigaction action = {.sa_handler = handler, .sa_flags = SA_RESTART};
  for (int i = 0, all[] = {SIGUSR1, SIGUSR2, SIGTERM}; i < 3; i++) sigaction(all[i], &action, NULL);
  for (char number; read(ends[0], &number, 1) == 1 && number != SIGTERM;) stamp();
}
