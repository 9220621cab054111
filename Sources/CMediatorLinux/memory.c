// Memory that is sealed: what a run leaves for the next one in the manager's descriptor store.
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <sys/mman.h>
#include <unistd.h>

#include "CMediatorLinux.h"

#ifndef MFD_NOEXEC_SEAL
#define MFD_NOEXEC_SEAL 0x0008U
#endif

enum { SEALS = F_SEAL_SEAL | F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_WRITE };

static int fill(int descriptor, const uint8_t *bytes, size_t length) {
  while (length > 0) {
    ssize_t count = write(descriptor, bytes, length);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return -errno;
    bytes += count;
    length -= count;
  }
  return fcntl(descriptor, F_ADD_SEALS, SEALS) < 0 ? -errno : 0;
}

int mediator_sealed_memory(const char *name, const uint8_t *bytes, size_t length) {
  unsigned flags = MFD_CLOEXEC | MFD_ALLOW_SEALING;
  int descriptor = memfd_create(name, flags | MFD_NOEXEC_SEAL);
  // Before Linux 6.3.
  if (descriptor < 0 && errno == EINVAL) descriptor = memfd_create(name, flags);
  if (descriptor < 0) return -errno;
  int result = fill(descriptor, bytes, length);
  if (result == 0) return descriptor;
  close(descriptor);
  return result;
}

bool mediator_is_sealed(int descriptor) {
  int seals = fcntl(descriptor, F_GET_SEALS);
  return seals >= 0 && (seals & SEALS) == SEALS;
}
