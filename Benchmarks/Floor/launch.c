// Starts each of several programs in turn, again and again, as a service manager does. Prints two lines for each: the
// times from exec to READY=1 in milliseconds; and what it keeps when idle: RSS and private dirty memory in KiB, threads,
// descriptors.
//
//   launch ROUNDS PROGRAM [PROGRAM...]     a program is a path, or a command line that /bin/sh would exec
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
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

enum { most_programs = 16, most_rounds = 1000, most_arguments = 15, settle_ms = 300, patience_ms = 10000, looks = 3 };

static double start_ms[most_programs][most_rounds];
// Of the last rounds, the median of each.
static long idle[most_programs][4][looks];

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

static void read_text(pid_t pid, const char *name, char *text, size_t size) {
  char path[64];
  snprintf(path, sizeof path, "/proc/%d/%s", pid, name);
  FILE *file = fopen(path, "r");
  text[file ? fread(text, 1, size - 1, file) : 0] = 0;
  if (file) fclose(file);
}

static long count_descriptors(pid_t pid) {
  char path[64];
  long count = 0;
  snprintf(path, sizeof path, "/proc/%d/fd", pid);
  DIR *folder = opendir(path);
  for (struct dirent *entry; folder && (entry = readdir(folder));) count += entry->d_name[0] != '.';
  if (folder) closedir(folder);
  return count;
}

// Nothing of a program that has ended by itself.
static void look(pid_t pid, int index, int number) {
  char text[8192];
  poll(NULL, 0, settle_ms);
  read_text(pid, "smaps_rollup", text, sizeof text);
  idle[index][0][number] = field_kb(text, "\nRss:");
  idle[index][1][number] = field_kb(text, "\nPrivate_Dirty:");
  read_text(pid, "status", text, sizeof text);
  idle[index][2][number] = field_kb(text, "\nThreads:");
  idle[index][3][number] = count_descriptors(pid);
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

static void launch(const char *program, int manager, char **environment, int index, int round, int rounds) {
  char words[1024], *arguments[most_arguments + 1] = {0};
  snprintf(words, sizeof words, "%s", program);
  int count = 0;
  for (char *word = strtok(words, " "); word != NULL && count < most_arguments; word = strtok(NULL, " ")) arguments[count++] = word;
  posix_spawn_file_actions_t quiet;
  posix_spawn_file_actions_init(&quiet);
  posix_spawn_file_actions_addopen(&quiet, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
  stay_on(1);
  double began = now_ms();
  pid_t pid;
  if ((errno = posix_spawn(&pid, arguments[0], &quiet, NULL, arguments, environment)) != 0) die(program);
  stay_on(0);
  posix_spawn_file_actions_destroy(&quiet);
  wait_for_ready(manager, program);
  start_ms[index][round] = now_ms() - began;
  if (rounds - round <= looks) look(pid, index, rounds - round - 1);
  kill(pid, SIGTERM);
  waitpid(pid, NULL, 0);  // whatever it is: some end by themselves, some by the signal
  char rest[4096];
  while (recv(manager, rest, sizeof rest, MSG_DONTWAIT) >= 0) {}
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
    for (int index = 0; index < programs; index++) launch(argv[index + 2], manager, environment, index, round, rounds);
  for (int index = 0; index < programs; index++) {
    for (int round = 0; round < rounds; round++) printf("%.3f%c", start_ms[index][round], round + 1 < rounds ? ' ' : '\n');
    for (int which = 0; which < 4; which++) {
      qsort(idle[index][which], looks, sizeof idle[index][which][0], by_size);
      printf("%ld%c", idle[index][which][looks / 2], which < 3 ? ' ' : '\n');
    }
  }
  unlink(address.sun_path);
  rmdir(folder);
}
