// Starts the processes of one exec handler, each below a guardian (guardian.h).
//
// They are forked by a process of their own, the server, which is forked once and early: a worker
// that holds gigabytes would otherwise copy its page tables for each, and each guardian would keep
// the memory alive that the worker has given up. The server is single-threaded, allocates nothing,
// and ends when the worker is gone and all of its guardians have ended; it kills what a guardian
// leaves behind that was killed itself. A server that has ended is replaced with the next spawn.
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
  // argv[0] is the absolute path of the program.
  explicit ForkServer(std::vector<std::string> argv);
  // Waits until every process that it has started is gone: close their control sockets first.
  ~ForkServer();
  ForkServer(const ForkServer&) = delete;
  ForkServer& operator=(const ForkServer&) = delete;

  [[nodiscard]] const std::vector<std::string>& argv() const { return argv_; }
  // Starts a guardian with its child, which gets these as its standard streams. The result is our
  // end of the guardian's control socket, on which its first report is still to come.
  [[nodiscard]] Result<Fd> spawn(int in, int out, int err);

 private:
  [[nodiscard]] Status start();
  void end();

  const std::vector<std::string> argv_;
  std::vector<char*> words_;  // of argv_, as exec takes them
  Fd socket_;
  pid_t server_ = 0;
};

}  // namespace penstock
