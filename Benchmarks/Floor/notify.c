// The floor: a C program that only calls sd_notify and waits for SIGTERM.
#include <signal.h>
#include <systemd/sd-daemon.h>
#include <unistd.h>

static void leave(int number) {
  (void)number;
  _exit(0);
}

int main(void) {
  signal(SIGTERM, leave);
  sd_notify(0, "READY=1");
  for (;;) pause();
}
