// What the tracer wrote, read on as it grows.
#pragma once

#include <sys/types.h>

#include <fstream>
#include <set>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

namespace penstock {

using Identity = std::pair<std::string, std::string>;  // account and id

struct TracedAttempt {
  pid_t worker = 0;
  Identity job;
  int attempt = 0;
  std::string token;
};

class AttemptTrace {
 public:
  explicit AttemptTrace(std::string path) : path_(std::move(path)) {}

  // Takes what has been written since the last call.
  void read_on() {
    std::ifstream file(path_);
    file.seekg(at_);
    for (std::string line; std::getline(file, line) && !file.eof();) {
      at_ += static_cast<std::streamoff>(line.size() + 1);
      TracedAttempt seen;
      std::istringstream words(line);
      words >> seen.worker >> seen.job.first >> seen.job.second >> seen.attempt >> seen.token;
      jobs_.insert(seen.job);
      attempts_.push_back(std::move(seen));
    }
  }

  [[nodiscard]] const std::vector<TracedAttempt>& attempts() const { return attempts_; }
  [[nodiscard]] const std::set<Identity>& jobs() const { return jobs_; }

 private:
  const std::string path_;
  std::streamoff at_ = 0;
  std::vector<TracedAttempt> attempts_;
  std::set<Identity> jobs_;
};

}  // namespace penstock
