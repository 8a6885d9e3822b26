// Open files on their way to another process, over a Unix socket that keeps messages apart
// (SOCK_SEQPACKET). System calls alone: both may be called after fork in a process that had
// threads.
#pragma once

#include <cstddef>
#include <span>

#include "consumer/handlers/io/fd.h"

namespace penstock {

inline constexpr std::size_t kMaxPassedFiles = 8;  // in one message

// False, with errno: nothing was sent.
[[nodiscard]] bool send_files(int socket, std::span<const int> files);
// Takes the next message. kNothing: there is none yet, or it did not hold exactly as many files as
// `files` has room for (this process may have no more open, for one). kEnd: none will come.
enum class Received { kFiles, kNothing, kEnd };
[[nodiscard]] Received receive_files(int socket, std::span<Fd> files);

}  // namespace penstock
