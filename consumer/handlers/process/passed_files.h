// Passes open files to another process, over a Unix socket that preserves message boundaries
// (SOCK_SEQPACKET). Uses only system calls: both functions may be called after fork in a process
// that had threads.
#pragma once

#include <cstddef>
#include <span>

#include "consumer/handlers/io/fd.h"

namespace penstock {

inline constexpr std::size_t kMaxPassedFiles = 8;  // per message

// False: nothing was sent; errno gives the reason.
[[nodiscard]] bool send_files(int socket, std::span<const int> files);
// Receives the next message. kNothing: there is none yet, or it did not contain exactly as many
// files as `files` has room for (for example because this process may not open more). kEnd: there
// will be none.
enum class Received { kFiles, kNothing, kEnd };
[[nodiscard]] Received receive_files(int socket, std::span<Fd> files);

}  // namespace penstock
