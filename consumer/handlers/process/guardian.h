// The process between the worker and one process of an exec handler. It starts that process, and
// ends everything that comes of it:
//
//   worker -> fork server -> guardian -> child -> what the child has started
//
// As a subreaper (prctl(2)), it inherits every descendant whose parent ends, including daemons.
// When the child ends, when the worker asks for it, and when the worker is gone for any reason, it
// kills its descendants generation by generation until none is left. The child ends with the
// guardian (PR_SET_PDEATHSIG), and the fork server inherits the rest.
//
// The worker has the other end of the guardian's control socket (SOCK_SEQPACKET):
//
//   to the guardian   := "T": SIGTERM to the child's process group | "K": end everything
//                      | end of file: like "K", without any more reports
//   from the guardian := GuardianReport kStarted or kFailed, then kEnded once nothing is left
//
// A guardian is forked from a process without threads. It allocates nothing, ignores all signals
// except SIGKILL, and keeps no file open except its own and the held file (ForkServer), which the
// child inherits. A child may close it: the guardian holds it until nothing is left.
#pragma once

#include <cstdint>

#include "consumer/handlers/io/fd.h"

namespace penstock {

struct GuardianReport {
  enum class Kind : std::int32_t {
    kStarted,  // value: the child's process id
    kFailed,   // value: the errno of the failure to start it
    kEnded,    // value: its status from waitpid(2), or kNoStatus
  };
  static constexpr std::int32_t kNoStatus = -1;  // it runs as another user and cannot be killed

  Kind kind = Kind::kEnded;
  std::int32_t value = 0;
};

inline constexpr char kTerminateChild = 'T', kKillChild = 'K';

struct GuardianFiles {
  Fd in, out, err;  // the child's standard streams
  Fd control;
};

// The numbers under which a guardian gets these files from its fork server.
inline constexpr int kControlFile = 3;
inline constexpr int kWorkerFile = 4;  // a pidfd of the worker, if it is open
inline constexpr int kHeldFile = 5;    // ForkServer's, if there is one

// Becomes the guardian of one child. argv[0] is an absolute path; no shell is involved.
[[noreturn]] void guard_child(char* const* argv, const GuardianFiles& files, bool has_worker_file,
                              bool has_held_file);

}  // namespace penstock
