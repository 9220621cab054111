// The Linux calls that Glibc's Swift module lacks, and the one signal handler.
// Nothing here defines _GNU_SOURCE: a header that does breaks every other import of Glibc.
// Calls return 0 or a positive result, and a negative errno on failure; none ever returns -EINTR.
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

// threads.c ---------------------------------------------------------------------------------------------------------

// Which signals a new thread leaves open.
enum mediator_mask {
  MEDIATOR_MASK_ALL_BLOCKED = 0,   // all but those that a fault raises
  MEDIATOR_MASK_OF_FIRST_THREAD = 1,  // what the process's first thread has: what children should inherit
};

// Starts a detached thread with a name (15 bytes count) and a mask of its own, not the creator's.
int mediator_thread_start(const char *_Nonnull name, enum mediator_mask mask, void (*_Nonnull body)(void *_Nullable),
                          void *_Nullable context);

// One pointer per thread that says whose thread it is.
void mediator_thread_set_owner(const void *_Nullable owner);
const void *_Nullable mediator_thread_owner(void);

// Unblocks signals in the calling thread.
int mediator_thread_unblock(const int32_t *_Nonnull numbers, size_t count);

// A gate lets one waiter through per opening; openings do not add up.
typedef struct mediator_gate mediator_gate;
mediator_gate *_Nullable mediator_gate_new(void);
void mediator_gate_free(mediator_gate *_Nonnull gate);
void mediator_gate_open(mediator_gate *_Nonnull gate);
void mediator_gate_pass(mediator_gate *_Nonnull gate);
// As it, but no longer than that, and perhaps less: for a gate that has one waiter alone, who then looks for himself.
void mediator_gate_pass_within(mediator_gate *_Nonnull gate, int64_t nanoseconds);
// Opens for good, for everybody.
void mediator_gate_stay_open(mediator_gate *_Nonnull gate);
void mediator_gate_wait_open(mediator_gate *_Nonnull gate);

// An eventfd, non-blocking and closed on exec.
int mediator_eventfd(void);
void mediator_eventfd_raise(int descriptor);
void mediator_eventfd_clear(int descriptor);

// A descriptor that is waited for by POLLPRI, or else by POLLIN, and what poll(2) said of it.
struct mediator_urgent {
  int32_t descriptor;
  bool has_priority;
  bool is_ready;
  bool failed;
};
enum { MEDIATOR_MOST_URGENT = 8 };
// Waits until the descriptor is readable or something urgent has come, for ever, or only looks. Returns how many are ready
// or failed.
int mediator_wait(int descriptor, struct mediator_urgent *_Nullable urgent, size_t count, bool waits);

// What ThreadSanitizer has to be told about Synchronization.Mutex; nothing in other builds.
void mediator_tsan_acquire(void *_Nonnull address);
void mediator_tsan_release(void *_Nonnull address);

// signals.c ---------------------------------------------------------------------------------------------------------

// What the handler writes, once per signal.
struct mediator_signal_record {
  int32_t number;  // 0: nothing but "look at the counts"
  int32_t code;
  int32_t pid;
  uint32_t uid;
  int32_t value;
  int32_t padding;
};

// Takes more signals in the claim that is held; -EINVAL when none is.
int mediator_signals_extend(const int32_t *_Nonnull claimed, size_t count);

// Puts the handler (claimed) and SIG_IGN (ignored) in place. -EBUSY while somebody else holds the claim.
int mediator_signals_claim(const int32_t *_Nonnull claimed, size_t claimed_count, const int32_t *_Nonnull ignored,
                           size_t ignored_count);
// Puts back what was there before the claim.
void mediator_signals_release(void);
// The descriptor that becomes readable when a signal came.
int mediator_signals_descriptor(void);
// Reads up to `count` whole records. 0: nothing there.
ssize_t mediator_signals_read(struct mediator_signal_record *_Nonnull records, size_t count);
// Whether any signal came since the last call that the pipe had no room for.
bool mediator_signals_any_unrecorded(void);
// How many of this number did, since the last call.
uint32_t mediator_signals_take_unrecorded(int32_t number);
// Whether the disposition is still the one that the claim put there.
bool mediator_signal_in_place(int32_t number);
// Puts the claim's disposition of this signal back in place, and takes the signal out of every signalfd of the process:
// one that stays in a Dispatch source's is read there as often as it reaches the handler.
int mediator_signal_reclaim(int32_t number);
// Whether the signal is ignored, or was before the claim.
bool mediator_signal_ignored_before(int32_t number);
// Whether the kernel itself sent it (SI_KERNEL), and whether it carries a value (SI_QUEUE).
bool mediator_signal_code_is_kernel(int32_t code);
bool mediator_signal_code_is_queue(int32_t code);
// SIG_DFL for one signal.
int mediator_signal_set_default(int32_t number);
// Has SIGTSTP do what it does by default, at once; returns after SIGCONT, or when the kernel would stop nobody.
void mediator_stop_self(void);

// sockets.c ---------------------------------------------------------------------------------------------------------

// A datagram socket, non-blocking and closed on exec.
int mediator_datagram_socket(void);
// Sends one datagram, with descriptors, to the UNIX address `name` ("/path" or "@abstract").
int mediator_send_datagram(int socket, const char *_Nonnull name, size_t name_length, const void *_Nonnull payload,
                           size_t length, const int32_t *_Nonnull descriptors, size_t descriptor_count);

// Makes a datagram socket that tells each sender's credentials, binds it, and only then lets the name be seen: a path
// is bound under another name first and renamed. Replaces what lies at the path.
int mediator_bind_datagram_socket(const char *_Nonnull name, size_t name_length);

// One received datagram. The payload is in the caller's buffer, the descriptors are the caller's to close.
struct mediator_datagram {
  size_t length;
  int32_t pid;  // 0: no credentials came
  uint32_t uid, gid;
  bool truncated;             // longer than its buffer
  bool descriptors_truncated;  // more descriptors than fit, or than the process may have
  uint32_t descriptor_count;
};
enum { MEDIATOR_MOST_DATAGRAMS = 16, MEDIATOR_MOST_DESCRIPTORS = 253 };  // SCM_MAX_FD, unix(7)
// Receives up to `count` (at most MEDIATOR_MOST_DATAGRAMS) datagrams without waiting. The n-th has its own `capacity`
// bytes of `payloads` and its own MEDIATOR_MOST_DESCRIPTORS places of `descriptors`.
int mediator_receive_datagrams(int socket, struct mediator_datagram *_Nonnull datagrams, uint8_t *_Nonnull payloads,
                               size_t capacity, int32_t *_Nonnull descriptors, size_t count);

// Whoever connected to a UNIX stream socket, as it was then (SO_PEERCRED of unix(7)).
struct mediator_peer {
  int32_t pid;
  uint32_t uid, gid;
};
// Takes the next connection, non-blocking and closed on exec. -EAGAIN: there is none.
int mediator_accept(int listener, struct mediator_peer *_Nonnull peer);

// children.c --------------------------------------------------------------------------------------------------------

enum mediator_output {
  MEDIATOR_OUTPUT_PIPE = 0,
  MEDIATOR_OUTPUT_NULL = 1,
  MEDIATOR_OUTPUT_INHERIT = 2,
  MEDIATOR_OUTPUT_PIPE_HELD_OPEN = 3
};

struct mediator_child {
  int32_t pid;
  int32_t pidfd;
  int32_t output;  // the pipe's read end, non-blocking; -1 without one
  int32_t held;    // its write end, where it is held open; else -1
};
// A descriptor that the child gets under a number of its own.
struct mediator_passed {
  int32_t target;  // 3 to MEDIATOR_HIGHEST_TARGET
  int32_t source;  // ours
};
enum { MEDIATOR_HIGHEST_TARGET = 1023 };  // the lowest limit of descriptors that is common
// Vectors end with NULL, as execve wants them. Targets must not repeat; sources may, and may be targets of others.
struct mediator_spawn_request {
  const char *_Nonnull executable;
  char *_Nullable const *_Nonnull arguments;
  char *_Nullable const *_Nonnull environment;
  const char *_Nullable directory;
  const struct mediator_passed *_Nullable passed;
  size_t passed_count;
  enum mediator_output output;
};
// Spawns in a process group of its own, with an empty mask, default dispositions, descriptors 0 to 2 and those passed.
// On failure nothing is left behind and `call` names what failed.
int mediator_spawn(const struct mediator_spawn_request *_Nonnull request, struct mediator_child *_Nonnull child,
                   const char *_Nullable *_Nonnull call);
// A pipe, both ends closed on exec and above 2; the read end does not block.
int mediator_pipe(int32_t *_Nonnull ends);

// Ends a child and its group, and waits for the child.
void mediator_kill_and_reap(int32_t pid);

struct mediator_exit {
  bool ended;
  bool signalled;
  bool core_dumped;
  int32_t status;  // of exit, or the signal
};
// Looks at a child without waiting; `keep` leaves it a zombie.
int mediator_reap(int pidfd, bool keep, struct mediator_exit *_Nonnull result);
// The same by number; the child is gone after it.
int mediator_reap_child(int32_t pid, struct mediator_exit *_Nonnull result);
// Of any process, closed on exec.
int mediator_pidfd_open(int32_t pid);
int mediator_pidfd_send_signal(int pidfd, int32_t number);
// To the process group that bears the process's number. -EINVAL before Linux 6.9.
int mediator_pidfd_signal_group(int pidfd, int32_t number);
// How many bytes a pipe holds.
int mediator_readable_bytes(int descriptor);

int mediator_initgroups(const char *_Nonnull user, uint32_t gid);

// Whether an extended attribute of a file has this value, of at most 64 bytes.
bool mediator_has_attribute(const char *_Nonnull path, const char *_Nonnull name, const char *_Nonnull value);

// reaper.c ----------------------------------------------------------------------------------------------------------

// Takes SIGCHLD and returns the descriptor that becomes readable when it came; never to be closed. -EBUSY while held.
int mediator_child_signal_claim(void);
// Puts back what was there before the claim.
void mediator_child_signal_release(void);
// As if SIGCHLD had come; nothing while nobody holds the claim.
void mediator_child_signal_raise(void);
void mediator_child_signal_clear(void);
// The first child, in the kernel's order, that has ended; it stays a zombie. 0: none has.
int32_t mediator_first_ended_child(void);
// PR_SET_CHILD_SUBREAPER of prctl(2).
bool mediator_is_subreaper(void);
int mediator_set_subreaper(bool is);

// machine.c ---------------------------------------------------------------------------------------------------------

// A timer of the wall clock that never fires, but is cancelled when that clock is set; non-blocking, closed on exec.
int mediator_clock_watch(void);
// Reads such a timer, or whatever stands for one. 1: the clock was set; 0: it was not.
int mediator_clock_was_set(int descriptor);

// Watches a folder for entries that come, go or are written; non-blocking, closed on exec.
int mediator_folder_watch(const char *_Nonnull path);
// Reads what came. 1: an entry of that name is concerned, or events were lost; 2: the folder itself is gone.
int mediator_folder_changed(int descriptor, const char *_Nonnull name);

// A connection to a UNIX stream socket at a path, non-blocking and closed on exec.
int mediator_connect_path(const char *_Nonnull path);

// Gives free memory back to the system.
bool mediator_malloc_trim(void);
// All threads allocate from the one heap from here on: each other one costs memory that is mostly free.
void mediator_malloc_one_heap(void);

// Writes what can be written without waiting; -EAGAIN for nothing, -EOPNOTSUPP where that cannot be known.
ssize_t mediator_write_now(int descriptor, const void *_Nullable bytes, size_t length);

// The variables of the process as "NAME=value", to the first NULL.
char *_Nullable *_Nonnull mediator_environment(void);

// memory.c ----------------------------------------------------------------------------------------------------------

// Memory with that content behind a descriptor, closed on exec, that nobody can change any more.
int mediator_sealed_memory(const char *_Nonnull name, const uint8_t *_Nonnull bytes, size_t length);
bool mediator_is_sealed(int descriptor);
