// The main loop of a fork server (fork_server.h): it processes one spawn after the other until the
// worker is gone. It runs in a process that was forked from one with threads, so it uses only
// system calls and does not allocate.
#pragma once

#include <sys/types.h>

namespace penstock {

struct SpawnFiles {
  // Delivers the files of each spawn (passed_files.h: in, out, err, control), and is closed when the
  // worker ends.
  int socket = -1;
  int held = -1;  // stays open here, and in all processes that are started; -1: there is none
};

// `worker` is watched as well, because a child of the worker may have inherited the socket.
[[noreturn]] void serve_spawns(const SpawnFiles& files, pid_t worker, char* const* argv);

}  // namespace penstock
