// A process with pipes to its standard streams, in a process group of its own (so that a Ctrl-C at
// the terminal does not reach it), watched through a pidfd.
//
// It is killed by the kernel when the thread that spawned it ends (PR_SET_PDEATHSIG is tied to the
// thread), so that thread must live as long as the process may. Our ends of the pipes do not block.
// One thread uses a ChildProcess. Needs Linux 5.11 (pidfd_open, close_range).
#pragma once

#include <sys/types.h>

#include <optional>
#include <string>
#include <vector>

#include "consumer/handlers/fd.h"
#include "topics/result.h"

namespace penstock {

// A descriptor that becomes readable when the process ends; not open when there is no such process.
[[nodiscard]] Fd open_pidfd(pid_t pid);

struct ExitStatus {
  bool was_killed = false;  // by SIGKILL
  std::string text;         // "exit status 3", "killed by signal 9 (Killed)"
};

class ChildProcess {
 public:
  // argv[0] is the absolute path of the program; no shell is involved. Fails when it cannot be run.
  [[nodiscard]] static Result<ChildProcess> spawn(const std::vector<std::string>& argv);

  ChildProcess(ChildProcess&& other) noexcept;
  ChildProcess& operator=(ChildProcess&&) = delete;
  // Kills and reaps it when reap() has not.
  ~ChildProcess();

  [[nodiscard]] pid_t pid() const { return pid_; }
  [[nodiscard]] int in() const { return in_.get(); }
  [[nodiscard]] int out() const { return out_.get(); }
  [[nodiscard]] int err() const { return err_.get(); }
  // Readable once the process has ended.
  [[nodiscard]] int pidfd() const { return pidfd_.get(); }

  void close_in() { in_.close(); }
  void close_out() { out_.close(); }
  void close_err() { err_.close(); }
  // To its whole group.
  void signal(int signal) const;
  // nullopt: it still runs. Otherwise what is left of its group is killed, and it is gone.
  [[nodiscard]] std::optional<ExitStatus> reap();

 private:
  ChildProcess(pid_t pid, Fd in, Fd out, Fd err);

  pid_t pid_;  // 0: reaped, or moved from
  Fd in_, out_, err_, pidfd_;
};

}  // namespace penstock
