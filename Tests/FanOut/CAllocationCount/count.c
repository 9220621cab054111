// Stands before the C library's allocator, for a program that wants to know how often it allocates.
#include "CAllocationCount.h"

#include <errno.h>
#include <stdatomic.h>
#include <stddef.h>

void *__libc_malloc(size_t size);
void *__libc_calloc(size_t count, size_t size);
void *__libc_realloc(void *memory, size_t size);
void *__libc_memalign(size_t alignment, size_t size);

static _Atomic uint64_t count;

static void note(void) { atomic_fetch_add_explicit(&count, 1, memory_order_relaxed); }

uint64_t allocation_count(void) { return atomic_load_explicit(&count, memory_order_relaxed); }

void *malloc(size_t size) {
  note();
  return __libc_malloc(size);
}

void *calloc(size_t members, size_t size) {
  note();
  return __libc_calloc(members, size);
}

void *realloc(void *memory, size_t size) {
  note();
  return __libc_realloc(memory, size);
}

void *aligned_alloc(size_t alignment, size_t size) {
  note();
  return __libc_memalign(alignment, size);
}

int posix_memalign(void **memory, size_t alignment, size_t size) {
  note();
  *memory = __libc_memalign(alignment, size);
  return *memory ? 0 : ENOMEM;
}
