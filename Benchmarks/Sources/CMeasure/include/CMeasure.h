#ifndef C_MEASURE_H
#define C_MEASURE_H
#include <stdbool.h>
#include <stdint.h>

// CLOCK_MONOTONIC in nanoseconds.
uint64_t measure_now(void);

// Writes measure_now() to a descriptor, as eight bytes: a program says when it was told of something.
void measure_stamp(int descriptor);

// Whether allocations are counted. Off at first, and then they cost what they always cost.
void measure_allocations(bool on);

// How often any thread has asked for memory while they were counted: malloc, calloc, realloc, aligned_alloc.
uint64_t measure_allocation_count(void);

// Under valgrind --tool=callgrind --instr-atstart=no: instructions are counted from here on, or no more. False where
// the headers of valgrind were absent when this was built.
bool measure_instructions(bool on);

// How many bytes were taken less those given back, while they were counted, with the allocator's own head of each.
int64_t measure_live_bytes(void);
#endif
