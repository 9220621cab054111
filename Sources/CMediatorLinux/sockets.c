// Datagrams with descriptors and credentials over UNIX sockets.
#include <errno.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "CMediatorLinux.h"

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
    char space[CMSG_SPACE(sizeof(int) * MEDIATOR_MOST_DESCRIPTORS)];
  } control;
  int result = address_of(name, name_length, &address, &message.msg_namelen);
  if (result < 0) return result;
  if (descriptor_count > MEDIATOR_MOST_DESCRIPTORS) return -EINVAL;
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

// A bound name is public at once, so the options are set before; and rename replaces a stale path without a moment in
// which there is none.
static int bind_at(int descriptor, const char *name, size_t length) {
  struct sockaddr_un address;
  socklen_t size;
  int result = address_of(name, length, &address, &size);
  if (result < 0) return result;
  if (name[0] == '@') return bind(descriptor, (struct sockaddr *)&address, size) < 0 ? -errno : 0;
  static _Atomic unsigned serial;
  char temporary[sizeof address.sun_path];
  char final[sizeof address.sun_path];
  memcpy(final, address.sun_path, sizeof final);
  int printed = snprintf(temporary, sizeof temporary, "%s.%d.%u", final, getpid(), serial++);
  if (printed < 0 || (size_t)printed >= sizeof temporary) return -ENAMETOOLONG;
  memcpy(address.sun_path, temporary, sizeof temporary);
  if (bind(descriptor, (struct sockaddr *)&address, sizeof address) < 0) return -errno;
  if (rename(temporary, final) == 0) return 0;
  result = -errno;
  unlink(temporary);
  return result;
}

int mediator_bind_datagram_socket(const char *name, size_t name_length) {
  int descriptor = mediator_datagram_socket();
  if (descriptor < 0) return descriptor;
  int on = 1;
  int result = setsockopt(descriptor, SOL_SOCKET, SO_PASSCRED, &on, sizeof on) < 0 ? -errno : 0;
  if (result == 0) result = bind_at(descriptor, name, name_length);
  if (result == 0) return descriptor;
  close(descriptor);
  return result;
}

static void take_control(struct msghdr *message, struct mediator_datagram *datagram, int32_t *descriptors) {
  datagram->descriptors_truncated = message->msg_flags & MSG_CTRUNC;
  for (struct cmsghdr *part = CMSG_FIRSTHDR(message); part; part = CMSG_NXTHDR(message, part)) {
    if (part->cmsg_level != SOL_SOCKET) continue;
    if (part->cmsg_type == SCM_CREDENTIALS) {
      struct ucred sender;
      memcpy(&sender, CMSG_DATA(part), sizeof sender);
      datagram->pid = sender.pid;
      datagram->uid = sender.uid;
      datagram->gid = sender.gid;
    } else if (part->cmsg_type == SCM_RIGHTS) {
      size_t count = (part->cmsg_len - CMSG_LEN(0)) / sizeof(int);
      memcpy(descriptors, CMSG_DATA(part), count * sizeof(int));
      datagram->descriptor_count = count;
    }
  }
}

int mediator_receive_datagrams(int socket, struct mediator_datagram *datagrams, uint8_t *payloads, size_t capacity,
                               int32_t *descriptors, size_t count) {
  struct mmsghdr messages[MEDIATOR_MOST_DATAGRAMS];
  struct iovec parts[MEDIATOR_MOST_DATAGRAMS];
  union {
    struct cmsghdr header;
    char space[CMSG_SPACE(sizeof(struct ucred)) + CMSG_SPACE(sizeof(int) * MEDIATOR_MOST_DESCRIPTORS)];
  } controls[MEDIATOR_MOST_DATAGRAMS];
  if (count > MEDIATOR_MOST_DATAGRAMS) count = MEDIATOR_MOST_DATAGRAMS;
  for (size_t i = 0; i < count; i++) {
    parts[i] = (struct iovec){.iov_base = payloads + i * capacity, .iov_len = capacity};
    messages[i] = (struct mmsghdr){.msg_hdr = {.msg_iov = &parts[i],
                                               .msg_iovlen = 1,
                                               .msg_control = &controls[i],
                                               .msg_controllen = sizeof controls[i]}};
  }
  int received;
  do {
    received = recvmmsg(socket, messages, count, MSG_DONTWAIT | MSG_CMSG_CLOEXEC, NULL);
  } while (received < 0 && errno == EINTR);
  if (received < 0) return errno == EAGAIN ? 0 : -errno;
  for (int i = 0; i < received; i++) {
    datagrams[i].length = messages[i].msg_len;
    datagrams[i].truncated = messages[i].msg_hdr.msg_flags & MSG_TRUNC;
    datagrams[i].pid = 0;
    datagrams[i].uid = datagrams[i].gid = (uint32_t)-1;
    datagrams[i].descriptor_count = 0;
    take_control(&messages[i].msg_hdr, &datagrams[i], descriptors + i * MEDIATOR_MOST_DESCRIPTORS);
  }
  return received;
}

int mediator_accept(int listener, struct mediator_peer *peer) {
  int descriptor;
  do {
    descriptor = accept4(listener, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);
  } while (descriptor < 0 && errno == EINTR);
  if (descriptor < 0) return -errno;
  struct ucred credentials;
  socklen_t size = sizeof credentials;
  if (getsockopt(descriptor, SOL_SOCKET, SO_PEERCRED, &credentials, &size) < 0) {
    int result = -errno;
    close(descriptor);
    return result;
  }
  *peer = (struct mediator_peer){.pid = credentials.pid, .uid = credentials.uid, .gid = credentials.gid};
  return descriptor;
}
