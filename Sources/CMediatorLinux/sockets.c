// Datagrams with descriptors and credentials over UNIX sockets.
#include <errno.h>
#include <stddef.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>

#include "CMediatorLinux.h"

enum { MOST_DESCRIPTORS = 253 };  // SCM_MAX_FD, unix(7)

// An abstract name is exactly as long as it is: no terminating zero belongs to it.
static int address_of(const char *name, size_t length, struct sockaddr_un *address, socklen_t *size) {
  memset(address, 0, sizeof *address);
  address->sun_family = AF_UNIX;
  bool abstract = length > 0 && name[0] == '@';
  if (length < 2 || (!abstract && name[0] != '/')) return -EINVAL;
  if (length > sizeof address->sun_path - !abstract) return -ENAMETOOLONG;
  memcpy(address->sun_path, name, length);
  if (abstract) address->sun_path[0] = 0;
  *size = offsetof(struct sockaddr_un, sun_path) + length + !abstract;
  return 0;
}

int mediator_datagram_socket(void) {
  int descriptor = socket(AF_UNIX, SOCK_DGRAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
  return descriptor < 0 ? -errno : descriptor;
}

int mediator_send_datagram(int socket, const char *name, size_t name_length, const void *payload, size_t length,
                           const int32_t *descriptors, size_t descriptor_count) {
  struct sockaddr_un address;
  struct iovec part = {.iov_base = (void *)payload, .iov_len = length};
  struct msghdr message = {.msg_name = &address, .msg_iov = &part, .msg_iovlen = 1};
  union {
    struct cmsghdr header;
    char space[CMSG_SPACE(sizeof(int) * MOST_DESCRIPTORS)];
  } control;
  int result = address_of(name, name_length, &address, &message.msg_namelen);
  if (result < 0) return result;
  if (descriptor_count > MOST_DESCRIPTORS) return -EINVAL;
  if (descriptor_count > 0) {
    memset(&control, 0, sizeof control);
    message.msg_control = &control;
    message.msg_controllen = CMSG_SPACE(sizeof(int) * descriptor_count);
    struct cmsghdr *header = CMSG_FIRSTHDR(&message);
    header->cmsg_level = SOL_SOCKET;
    header->cmsg_type = SCM_RIGHTS;
    header->cmsg_len = CMSG_LEN(sizeof(int) * descriptor_count);
    memcpy(CMSG_DATA(header), descriptors, sizeof(int) * descriptor_count);
  }
  while (sendmsg(socket, &message, MSG_NOSIGNAL) < 0)
    if (errno != EINTR) return -errno;
  return 0;
}
