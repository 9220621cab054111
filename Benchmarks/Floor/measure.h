// What the programs of this folder have in common: the clock, a stamp, and an end with a reason.
#pragma once
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static inline void die(const char *what) {
  fprintf(stderr, "%s: %s\n", what, strerror(errno));
  exit(1);
}

static inline uint64_t now_ns(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (uint64_t)time.tv_sec * 1000000000 + (uint64_t)time.tv_nsec;
}

// Says on standard output that the code which was waited for runs now.
static inline void stamp(void) {
  uint64_t now = now_ns();
  if (write(STDOUT_FILENO, &now, sizeof now) != sizeof now) die("stamp");
}
