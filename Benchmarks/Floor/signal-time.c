// Sends signals to several running programs in turn, and prints how long each took, a line of nanoseconds a program.
//
//   signal-time ROUNDS one|free stamp|reload PROGRAM [PROGRAM...]
//
// "one": all on one core. "stamp": SIGUSR1 and SIGUSR2 in turn, until the program stamps its standard output. "reload":
// SIGHUP, until READY=1 arrives at its $NOTIFY_SOCKET.
#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <spawn.h>
#include <stdbool.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>

#include "measure.h"

enum { most_programs = 16, most_rounds = 5000, most_arguments = 15, start_ms = 1500, rest_us = 1500, patience_ms = 5000 };

struct program {
  pid_t pid;
  int answers;
  struct sockaddr_un address;
  uint64_t times[most_rounds];
};
static struct program programs[most_programs];

static void stay_on_one_core(void) {
  cpu_set_t cores;
  CPU_ZERO(&cores);
  CPU_SET(0, &cores);
  if (sched_setaffinity(0, sizeof cores, &cores) != 0) die("sched_setaffinity");
}

static int bind_manager(struct program *it, const char *folder, int index) {
  it->address.sun_family = AF_UNIX;
  snprintf(it->address.sun_path, sizeof it->address.sun_path, "%s/%d", folder, index);
  int manager = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  if (manager < 0 || bind(manager, (struct sockaddr *)&it->address, sizeof it->address) != 0) die("the manager's socket");
  return manager;
}

static void start(struct program *it, char *words, bool reloads, const char *folder, int index) {
  char *arguments[most_arguments + 1] = {0}, variable[160];
  int count = 0, ends[2] = {-1, -1};
  for (char *word = strtok(words, " "); word && count < most_arguments; word = strtok(NULL, " ")) arguments[count++] = word;
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  char *environment[] = {"SWIFT_BACKTRACE=enable=no", "PATH=/usr/bin:/bin", NULL, NULL};
  if (reloads) {
    it->answers = bind_manager(it, folder, index);
    snprintf(variable, sizeof variable, "NOTIFY_SOCKET=%s", it->address.sun_path);
    environment[2] = variable;
    posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
  } else {
    if (pipe2(ends, O_CLOEXEC) < 0) die("pipe");
    posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
    it->answers = ends[0];
  }
  posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
  if ((errno = posix_spawn(&it->pid, arguments[0], &actions, NULL, arguments, environment)) != 0) die(arguments[0]);
  if (ends[1] >= 0) close(ends[1]);
  posix_spawn_file_actions_destroy(&actions);
}

static void wait_for_answer(struct program *it) {
  struct pollfd readable = {.fd = it->answers, .events = POLLIN};
  if (poll(&readable, 1, patience_ms) <= 0) {
    fprintf(stderr, "signal-time: no answer from process %d\n", it->pid);
    exit(1);
  }
}

static uint64_t stamp_time(struct program *it, int round) {
  uint64_t began = now_ns(), told;
  kill(it->pid, round % 2 ? SIGUSR2 : SIGUSR1);
  wait_for_answer(it);
  if (read(it->answers, &told, sizeof told) != sizeof told) die("read");
  return told - began;
}

static uint64_t reload_time(struct program *it) {
  char text[4096];
  while (recv(it->answers, text, sizeof text, MSG_DONTWAIT) >= 0) continue;
  uint64_t began = now_ns();
  kill(it->pid, SIGHUP);
  for (;;) {
    wait_for_answer(it);
    ssize_t length = recv(it->answers, text, sizeof text - 1, 0);
    if (length < 0) die("recv");
    text[length] = 0;
    if (strstr(text, "READY=1")) return now_ns() - began;
  }
}

int main(int argc, char **argv) {
  int rounds = argc > 4 ? atoi(argv[1]) : 0, count = argc - 4;
  if (rounds < 1 || rounds > most_rounds || count > most_programs) {
    fprintf(stderr, "signal-time ROUNDS one|free stamp|reload PROGRAM [PROGRAM...]\n");
    return 64;
  }
  bool reloads = strcmp(argv[3], "reload") == 0;
  char folder[] = "/tmp/signal-time-XXXXXX";
  if (!mkdtemp(folder)) die("mkdtemp");
  if (strcmp(argv[2], "one") == 0) stay_on_one_core();
  for (int i = 0; i < count; i++) start(&programs[i], argv[i + 4], reloads, folder, i);
  usleep(start_ms * 1000);
  for (int round = -10; round < rounds; round++)
    for (int i = 0; i < count; i++) {
      uint64_t time = reloads ? reload_time(&programs[i]) : stamp_time(&programs[i], round + 10);
      if (round >= 0) programs[i].times[round] = time;
      usleep(rest_us);
    }
  for (int i = 0; i < count; i++) {
    kill(programs[i].pid, SIGKILL);
    waitpid(programs[i].pid, NULL, 0);
    for (int round = 0; round < rounds; round++)
      printf("%llu%c", (unsigned long long)programs[i].times[round], round + 1 < rounds ? ' ' : '\n');
    if (reloads) unlink(programs[i].address.sun_path);
  }
  rmdir(folder);
}
