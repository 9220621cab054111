// Starts each of several programs in turn, again and again, as a service manager does, and prints for each the time
// from exec to READY=1 and the memory it then keeps.
//
//   launch ROUNDS PROGRAM [PROGRAM...]     a program is a path, or a command line that /bin/sh would exec
#define _GNU_SOURCE
#include <errno.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { most_programs = 8, most_rounds = 1000, most_arguments = 15, settle_ms = 300, patience_ms = 10000 };

static double start_ms[most_programs][most_rounds];
static long resident_kb[most_programs][most_rounds];
static long private_dirty_kb[most_programs][most_rounds];

static void die(const char *what) {
  fprintf(stderr, "launch: %s: %s\n", what, strerror(errno));
  exit(1);
}

static double now_ms(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (double)time.tv_sec * 1e3 + (double)time.tv_nsec / 1e6;
}

// One core for the program and, where there is a second, another for the one that waits for it.
static void stay_on(int core) {
  cpu_set_t cores;
  if (sysconf(_SC_NPROCESSORS_ONLN) < 2) return;
  CPU_ZERO(&cores);
  CPU_SET((size_t)core, &cores);
  if (sched_setaffinity(0, sizeof cores, &cores) != 0) die("sched_setaffinity");
}

static long field_kb(const char *text, const char *name) {
  const char *line = strstr(text, name);
  return line == NULL ? 0 : atol(line + strlen(name));
}

static void read_memory(pid_t pid, long *resident, long *dirty) {
  char path[64], text[8192];
  snprintf(path, sizeof path, "/proc/%d/smaps_rollup", pid);
  FILE *file = fopen(path, "r");
  if (file == NULL) die(path);
  text[fread(text, 1, sizeof text - 1, file)] = 0;
  fclose(file);
  *resident = field_kb(text, "\nRss:");
  *dirty = field_kb(text, "\nPrivate_Dirty:");
}

static void wait_for_ready(int manager, const char *program) {
  char text[4096];
  double deadline = now_ms() + patience_ms;
  for (;;) {
    struct pollfd it = {.fd = manager, .events = POLLIN};
    if (poll(&it, 1, (int)(deadline - now_ms())) <= 0) {
      fprintf(stderr, "launch: no READY=1 from %s\n", program);
      exit(1);
    }
    ssize_t length = recv(manager, text, sizeof text - 1, 0);
    if (length < 0) die("recv");
    text[length] = 0;
    if (strstr(text, "READY=1") != NULL) return;
  }
}

static void launch(const char *program, int manager, char **environment, int index, int round) {
  char words[1024], *arguments[most_arguments + 1] = {0};
  snprintf(words, sizeof words, "%s", program);
  int count = 0;
  for (char *word = strtok(words, " "); word != NULL && count < most_arguments; word = strtok(NULL, " ")) arguments[count++] = word;
  stay_on(1);
  double began = now_ms();
  pid_t pid;
  if ((errno = posix_spawn(&pid, arguments[0], NULL, NULL, arguments, environment)) != 0) die(program);
  stay_on(0);
  wait_for_ready(manager, program);
  start_ms[index][round] = now_ms() - began;
  poll(NULL, 0, settle_ms);
  read_memory(pid, &resident_kb[index][round], &private_dirty_kb[index][round]);
  kill(pid, SIGTERM);
  int status;
  if (waitpid(pid, &status, 0) != pid || status != 0) fprintf(stderr, "launch: %s ended with status 0x%x\n", program, status);
  char rest[4096];
  while (recv(manager, rest, sizeof rest, MSG_DONTWAIT) >= 0) {}
}

static int by_time(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

static int by_size(const void *a, const void *b) {
  long x = *(const long *)a, y = *(const long *)b;
  return (x > y) - (x < y);
}

int main(int argc, char **argv) {
  int rounds = argc > 2 ? atoi(argv[1]) : 0, programs = argc - 2;
  if (rounds < 1 || rounds > most_rounds || programs > most_programs) {
    fprintf(stderr, "launch ROUNDS PROGRAM [PROGRAM...]\n");
    return 64;
  }
  char folder[] = "/tmp/launch-XXXXXX";
  if (mkdtemp(folder) == NULL) die("mkdtemp");
  struct sockaddr_un address = {.sun_family = AF_UNIX};
  snprintf(address.sun_path, sizeof address.sun_path, "%s/notify", folder);
  int manager = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  if (manager < 0 || bind(manager, (struct sockaddr *)&address, sizeof address) != 0) die("the manager's socket");
  char variable[sizeof address.sun_path + 16];
  snprintf(variable, sizeof variable, "NOTIFY_SOCKET=%s", address.sun_path);
  char *environment[] = {variable, "SWIFT_BACKTRACE=enable=no", "PATH=/usr/bin:/bin", NULL};

  for (int round = 0; round < rounds; round++)
    for (int index = 0; index < programs; index++) launch(argv[index + 2], manager, environment, index, round);
  for (int index = 0; index < programs; index++) {
    qsort(start_ms[index], (size_t)rounds, sizeof start_ms[index][0], by_time);
    qsort(resident_kb[index], (size_t)rounds, sizeof resident_kb[index][0], by_size);
    qsort(private_dirty_kb[index], (size_t)rounds, sizeof private_dirty_kb[index][0], by_size);
    printf("%.2f %.2f %ld %ld\n", start_ms[index][rounds / 2], start_ms[index][rounds * 9 / 10], resident_kb[index][rounds / 2],
           private_dirty_kb[index][rounds / 2]);
  }
  unlink(address.sun_path);
  rmdir(folder);
}
