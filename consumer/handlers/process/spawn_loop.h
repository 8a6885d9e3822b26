// The main loop of a fork server (fork_server.h): it processes one spawn after the other until the
// worker is gone. It runs in a process that was forked from one with threads, so it uses only
// system calls and does not allocate.
#pragma once

#include <sys/types.h>

namespace penstock {

// `socket` delivers the files of each spawn (passed_files.h: in, out, err, control), and is closed
// when the worker ends. `worker` is watched as well, because a child of the worker may have
// inherited the socket.
[[noreturn]] void serve_spawns(int socket, pid_t worker, char* const* argv);

}  // namespace penstock
