#ifndef C_ALLOCATION_COUNT_H
#define C_ALLOCATION_COUNT_H
#include <stdint.h>

// How often the process has asked for memory so far: malloc, calloc, realloc and aligned_alloc of all its threads.
uint64_t allocation_count(void);
#endif
