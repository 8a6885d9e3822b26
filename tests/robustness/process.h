// A program that runs beside the test, with what it writes in files. Killed when its variable ends.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace penstock {

class Process {
 public:
  struct Files {
    std::string out;
    std::string err;
  };

  // argv[0] is the program's path.
  Process(const std::vector<std::string>& argv, const Files& files);
  ~Process();
  Process(const Process&) = delete;
  Process& operator=(const Process&) = delete;

  [[nodiscard]] pid_t pid() const { return pid_; }
  void signal(int number) const;
  // kill -9, and it is gone.
  void kill();
  // Its exit status, 128 + n when signal n ended it; nothing when it still runs after `at_most`.
  [[nodiscard]] std::optional<int> wait(std::chrono::milliseconds at_most);
  // Looks again and again; false when the process has ended or the time is over before.
  [[nodiscard]] bool runs_until(const std::function<bool()>& condition,
                                std::chrono::seconds at_most);

 private:
  pid_t pid_ = -1;
  int descriptor_ = -1;  // a pidfd: readable when the process has ended
  std::optional<int> status_;
};

}  // namespace penstock
