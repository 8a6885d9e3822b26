#include "consumer/handlers/process/passed_files.h"

#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "topics/values/check.h"

namespace penstock {
namespace {

union ControlBuffer {
  char bytes[CMSG_SPACE(kMaxPassedFiles * sizeof(int))];
  cmsghdr align;
};

// Takes every file that has arrived, so that none stays open unknown to anybody.
std::size_t take_files(msghdr& message, std::span<Fd> files) {
  std::size_t count = 0;
  for (cmsghdr* part = CMSG_FIRSTHDR(&message); part != nullptr;
       part = CMSG_NXTHDR(&message, part)) {
    if (part->cmsg_level != SOL_SOCKET || part->cmsg_type != SCM_RIGHTS) continue;
    const std::size_t bytes = part->cmsg_len - CMSG_LEN(0);
    for (std::size_t at = 0; at + sizeof(int) <= bytes; at += sizeof(int), ++count) {
      int number = -1;
      std::memcpy(&number, CMSG_DATA(part) + at, sizeof number);
      Fd file(number);
      if (count < files.size()) files[count] = std::move(file);
    }
  }
  return count;
}

}  // namespace

bool send_files(int socket, std::span<const int> files) {
  PENSTOCK_CHECK(files.size() <= kMaxPassedFiles, "a message holds so many files");
  // A message needs at least one byte of data to carry files.
  char byte = 0;
  iovec text{&byte, 1};
  ControlBuffer control{};
  const std::size_t bytes = files.size() * sizeof(int);
  msghdr message{};
  message.msg_iov = &text;
  message.msg_iovlen = 1;
  message.msg_control = control.bytes;
  message.msg_controllen = CMSG_SPACE(bytes);
  cmsghdr* const part = CMSG_FIRSTHDR(&message);
  part->cmsg_level = SOL_SOCKET;
  part->cmsg_type = SCM_RIGHTS;
  part->cmsg_len = CMSG_LEN(bytes);
  std::memcpy(CMSG_DATA(part), files.data(), bytes);
  ssize_t sent = 0;
  do {
    sent = sendmsg(socket, &message, MSG_NOSIGNAL);
  } while (sent < 0 && errno == EINTR);
  return sent == 1;
}

Received receive_files(int socket, std::span<Fd> files) {
  char byte = 0;
  iovec text{&byte, 1};
  ControlBuffer control{};
  msghdr message{};
  message.msg_iov = &text;
  message.msg_iovlen = 1;
  message.msg_control = control.bytes;
  message.msg_controllen = sizeof control.bytes;
  const ssize_t got = recvmsg(socket, &message, MSG_CMSG_CLOEXEC | MSG_DONTWAIT);
  if (got == 0) return Received::kEnd;
  if (got < 0) return Received::kNothing;
  return take_files(message, files) == files.size() ? Received::kFiles : Received::kNothing;
}

}  // namespace penstock
