// A floor: an sd-event loop that takes signals as systemd's own daemons do, and answers a reload.
#include <signal.h>
#include <systemd/sd-daemon.h>
#include <systemd/sd-event.h>

#include "measure.h"

static int told(sd_event_source *source, const struct signalfd_siginfo *info, void *context) {
  (void)source, (void)info, (void)context;
  stamp();
  return 0;
}

static int reload(sd_event_source *source, const struct signalfd_siginfo *info, void *context) {
  (void)source, (void)info, (void)context;
  sd_notifyf(0, "RELOADING=1\nMONOTONIC_USEC=%llu", (unsigned long long)(now_ns() / 1000));
  sd_notify(0, "READY=1\nSTATUS=Running");
  return 0;
}

int main(void) {
  sigset_t mask;
  sigemptyset(&mask);
  for (int i = 0, all[] = {SIGHUP, SIGUSR1, SIGUSR2, SIGTERM}; i < 4; i++) sigaddset(&mask, all[i]);
  sigprocmask(SIG_BLOCK, &mask, NULL);
  sd_event *event;
  if (sd_event_default(&event) < 0) return 1;
  sd_event_add_signal(event, NULL, SIGUSR1, told, NULL);
  sd_event_add_signal(event, NULL, SIGUSR2, told, NULL);
  sd_event_add_signal(event, NULL, SIGHUP, reload, NULL);
  sd_event_add_signal(event, NULL, SIGTERM, NULL, NULL);
  sd_notify(0, "READY=1");
  return sd_event_loop(event);
}
