// A program that says very much through sd_notify(3), and how fast its parent took it: a line a batch into FILE, with the
// nanoseconds for each datagram, and the nanoseconds of CPU that the parent used for it.
//
//   flood BATCHES DATAGRAMS FILE TEXT
#include <dirent.h>
#include <systemd/sd-daemon.h>

#include "measure.h"

static uint64_t cpu_of(pid_t pid) {
  char path[320];
  unsigned long long sum = 0, used;
  snprintf(path, sizeof path, "/proc/%d/task", pid);
  DIR *tasks = opendir(path);
  if (!tasks) die(path);
  for (struct dirent *task; (task = readdir(tasks));) {
    snprintf(path, sizeof path, "/proc/%d/task/%s/schedstat", pid, task->d_name);
    FILE *file = task->d_name[0] == '.' ? NULL : fopen(path, "r");
    if (!file) continue;
    if (fscanf(file, "%llu", &used) == 1) sum += used;
    fclose(file);
  }
  closedir(tasks);
  return sum;
}

int main(int argc, char **argv) {
  if (argc != 5) return 64;
  int batches = atoi(argv[1]), count = atoi(argv[2]);
  FILE *results = fopen(argv[3], "w");
  if (!results) die(argv[3]);
  sd_notify(0, "READY=1");
  for (int batch = 0; batch < batches; batch++) {
    if (sd_notify_barrier(0, 10000000) <= 0) die("barrier");
    uint64_t began = now_ns(), used = cpu_of(getppid());
    for (int i = 0; i < count; i++)
      if (sd_notify(0, argv[4]) <= 0) die("sd_notify");
    if (sd_notify_barrier(0, 10000000) <= 0) die("barrier");
    uint64_t took = now_ns() - began;
    fprintf(results, "%.1f %.1f\n", (double)took / count, (double)(cpu_of(getppid()) - used) / count);
  }
  return fclose(results);
}
