// What a fork server does (fork_server.h): one spawn after the other, until the worker is gone.
// Runs in a process that was forked from one with threads: system calls alone, no allocation.
#pragma once

#include <sys/types.h>

namespace penstock {

// `socket` brings the files of each spawn (passed_files.h: in, out, err, control) and ends with the
// worker, as does the process `worker` itself, whose socket a child of its own may have inherited.
[[noreturn]] void serve_spawns(int socket, pid_t worker, char* const* argv);

}  // namespace penstock
