// A child process of a benchmark, with a pipe that reads its standard error. It is ended with the
// object, and by the kernel if the benchmark crashes. Used from one thread.
#pragma once

#include <sys/types.h>

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "topics/values/result.h"

namespace penstock {

class Child {
 public:
  // Runs this same program with these arguments.
  [[nodiscard]] static Result<std::unique_ptr<Child>> run_self(
      const std::vector<std::string>& arguments);
  // Forks, runs `body` and ends. Only while this process has one thread.
  [[nodiscard]] static Result<std::unique_ptr<Child>> fork_to(const std::function<void()>& body);
  ~Child();
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;

  [[nodiscard]] pid_t pid() const { return pid_; }
  // Reads until the output contains `word`; fails if the process ends or takes too long.
  [[nodiscard]] Status wait_for(const std::string& word);

 private:
  Child(pid_t pid, int output) : pid_(pid), output_(output) {}

  pid_t pid_;
  int output_;
};

}  // namespace penstock
