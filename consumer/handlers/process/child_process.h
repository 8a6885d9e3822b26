// A process of an exec handler with pipes to its standard streams. It is in a process group of its
// own, so that a Ctrl-C at the terminal does not reach it, and under a guardian (guardian.h):
// everything that it starts ends with it, and all of that ends with this process, however it ends.
//
// This side's ends of the pipes do not block. Belongs to one thread.
#pragma once

#include <chrono>
#include <optional>
#include <string>

#include "consumer/handlers/io/fd.h"
#include "consumer/handlers/process/fork_server.h"
#include "topics/values/result.h"

namespace penstock {

struct ExitStatus {
  bool was_killed = false;  // by SIGKILL
  std::string text;         // "exit status 3", "killed by signal 9 (Killed)"
};

class ChildProcess {
 public:
  // How long a fork server may take to answer.
  static constexpr std::chrono::seconds kStartPatience{10};

  // Fails if the server's program cannot be run, or if this process has too few descriptors left.
  [[nodiscard]] static Result<ChildProcess> spawn(ForkServer& server);

  ChildProcess(ChildProcess&& other) noexcept = default;
  ChildProcess& operator=(ChildProcess&&) = delete;
  // Unless reap() has returned a status: kills the process and everything that it has started, and
  // waits for their end.
  ~ChildProcess();

  [[nodiscard]] int in() const { return in_.get(); }
  [[nodiscard]] int out() const { return out_.get(); }
  [[nodiscard]] int err() const { return err_.get(); }
  // Becomes readable once the process and everything that it has started have ended.
  [[nodiscard]] int end() const { return control_.get(); }

  void close_in() { in_.close(); }
  void close_out() { out_.close(); }
  void close_err() { err_.close(); }
  // Sends SIGTERM to its process group.
  void terminate() const;
  // Kills the process and everything that it has started; end() tells when that is done.
  void kill() const;
  // Empty: something is still running.
  [[nodiscard]] std::optional<ExitStatus> reap();

 private:
  ChildProcess(Fd control, Fd in, Fd out, Fd err);
  void tell(char command) const;

  Fd control_;  // not open once it has been reaped or moved from
  Fd in_, out_, err_;
};

}  // namespace penstock
