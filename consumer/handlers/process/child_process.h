// A process of an exec handler with pipes to its standard streams, in a process group of its own
// (so that a Ctrl-C at the terminal does not reach it), below a guardian (guardian.h): what it
// starts ends with it, and all of them with this process, however that ends.
//
// Our ends of the pipes do not block. One thread uses a ChildProcess.
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
  // How long a fork server has to answer.
  static constexpr std::chrono::seconds kStartPatience{10};

  // Fails when the server's program cannot be run, or this process has not enough descriptors left.
  [[nodiscard]] static Result<ChildProcess> spawn(ForkServer& server);

  ChildProcess(ChildProcess&& other) noexcept = default;
  ChildProcess& operator=(ChildProcess&&) = delete;
  // Kills it and all that it has started, and waits for their end, when reap() has not.
  ~ChildProcess();

  [[nodiscard]] int in() const { return in_.get(); }
  [[nodiscard]] int out() const { return out_.get(); }
  [[nodiscard]] int err() const { return err_.get(); }
  // Readable once the process and all that it has started have ended.
  [[nodiscard]] int end() const { return control_.get(); }

  void close_in() { in_.close(); }
  void close_out() { out_.close(); }
  void close_err() { err_.close(); }
  // SIGTERM to its process group.
  void terminate() const;
  // Ends it and all that it has started; end() tells when that is done.
  void kill() const;
  // nullopt: something still runs.
  [[nodiscard]] std::optional<ExitStatus> reap();

 private:
  ChildProcess(Fd control, Fd in, Fd out, Fd err);
  void tell(char command) const;

  Fd control_;  // not open: reaped, or moved from
  Fd in_, out_, err_;
};

}  // namespace penstock
