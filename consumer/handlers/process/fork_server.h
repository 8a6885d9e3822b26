// Starts the processes of one exec handler, each under a guardian (guardian.h).
//
// A separate process forks them, the server, which is itself forked once and early: a worker that
// uses gigabytes would otherwise copy its page tables for each process, and each guardian would
// keep memory alive that the worker has freed. The server is single-threaded, allocates nothing,
// and ends when the worker is gone and all of its guardians have ended; it kills whatever a killed
// guardian leaves behind. The next spawn replaces a server that has ended.
//
// Belongs to one thread. Needs Linux 5.9 (close_range) and a /proc that lists children.
#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

#include "consumer/handlers/io/fd.h"
#include "topics/values/result.h"

namespace penstock {

class ForkServer {
 public:
  // argv[0] is the absolute path of the program. `held_file`, if it is not negative, is a descriptor
  // of this process that the server, every guardian and every child hold open as well: a lock on
  // it (flock(2)) lasts until all of them have ended. It must stay open as long as this lives.
  explicit ForkServer(std::vector<std::string> argv, int held_file = -1);
  // Waits until every process that it has started is gone; close their control sockets first.
  ~ForkServer();
  ForkServer(const ForkServer&) = delete;
  ForkServer& operator=(const ForkServer&) = delete;

  [[nodiscard]] const std::vector<std::string>& argv() const { return argv_; }
  // Starts a guardian with a child that gets these descriptors as its standard streams. The result
  // is this side's end of the guardian's control socket, on which its first report will arrive.
  [[nodiscard]] Result<Fd> spawn(int in, int out, int err);

 private:
  [[nodiscard]] Status start();
  void end();

  const std::vector<std::string> argv_;
  const int held_file_;
  std::vector<char*> words_;  // argv_ in the form that exec takes
  Fd socket_;
  pid_t server_ = 0;
};

}  // namespace penstock
