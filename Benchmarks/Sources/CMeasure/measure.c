// The clock, and an allocator that stands before the C library's and counts when asked to.
#include "CMeasure.h"

#include <errno.h>
#include <malloc.h>
#include <stdatomic.h>
#include <stddef.h>
#include <time.h>
#include <unistd.h>

#if __has_include(<valgrind/callgrind.h>)
#include <valgrind/callgrind.h>
#else
#define CALLGRIND_START_INSTRUMENTATION return false
#define CALLGRIND_STOP_INSTRUMENTATION return false
#endif

void *__libc_malloc(size_t size);
void *__libc_calloc(size_t count, size_t size);
void *__libc_realloc(void *memory, size_t size);
void *__libc_memalign(size_t alignment, size_t size);
void __libc_free(void *memory);

static bool counting;
static _Atomic uint64_t count;
static _Atomic int64_t live;

uint64_t measure_now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (uint64_t)time.tv_sec * 1000000000 + (uint64_t)time.tv_nsec;
}

void measure_stamp(int descriptor) {
  uint64_t now = measure_now();
  ssize_t written = write(descriptor, &now, sizeof now);
  (void)written;
}

bool measure_instructions(bool on) {
  if (on) {
    CALLGRIND_START_INSTRUMENTATION;
  } else {
    CALLGRIND_STOP_INSTRUMENTATION;
  }
  return true;
}

void measure_allocations(bool on) { counting = on; }

uint64_t measure_allocation_count(void) { return atomic_load_explicit(&count, memory_order_relaxed); }

int64_t measure_live_bytes(void) { return atomic_load_explicit(&live, memory_order_relaxed); }

// What the block takes from the heap: glibc keeps one word before it.
static int64_t size_of(void *memory) { return memory ? (int64_t)(malloc_usable_size(memory) + sizeof(size_t)) : 0; }

static void *taken(void *memory) {
  if (counting) {
    atomic_fetch_add_explicit(&count, 1, memory_order_relaxed);
    atomic_fetch_add_explicit(&live, size_of(memory), memory_order_relaxed);
  }
  return memory;
}

void *malloc(size_t size) { return taken(__libc_malloc(size)); }

void *calloc(size_t members, size_t size) { return taken(__libc_calloc(members, size)); }

void *realloc(void *memory, size_t size) {
  if (counting) atomic_fetch_sub_explicit(&live, size_of(memory), memory_order_relaxed);
  return taken(__libc_realloc(memory, size));
}

void *aligned_alloc(size_t alignment, size_t size) { return taken(__libc_memalign(alignment, size)); }

int posix_memalign(void **memory, size_t alignment, size_t size) {
  *memory = taken(__libc_memalign(alignment, size));
  return *memory ? 0 : ENOMEM;
}

void free(void *memory) {
  if (counting) atomic_fetch_sub_explicit(&live, size_of(memory), memory_order_relaxed);
  __libc_free(memory);
}
