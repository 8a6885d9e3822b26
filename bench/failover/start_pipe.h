// When each job starts in the workers of a benchmark, on this process's clock: the jobs' handler
// is a shell that writes a line to a named pipe, which is read here. Used from one thread.
#pragma once

#include <memory>
#include <mutex>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <thread>
#include <vector>

#include "bench/raw/stopwatch.h"
#include "topics/values/result.h"
#include "topics/values/types.h"

namespace penstock {

struct JobStart {
  SteadyClock::time_point at;
  PartitionId partition = 0;
  int worker = 0;  // the number of its process
};

class StartPipe {
 public:
  // Makes the pipe in this directory.
  [[nodiscard]] static Result<std::unique_ptr<StartPipe>> open(const std::string& directory);
  ~StartPipe();
  StartPipe(const StartPipe&) = delete;
  StartPipe& operator=(const StartPipe&) = delete;

  // The `handler` of a type, for the config of this worker. It expects accounts that begin with
  // their partition's number.
  [[nodiscard]] nlohmann::json handler(int worker) const;
  // In the order in which they were read.
  [[nodiscard]] std::vector<JobStart> starts();
  // Forgets what was before.
  void forget_before(SteadyClock::time_point at);

 private:
  StartPipe(std::string path, int file);
  void read(const std::stop_token& stop);

  const std::string path_;
  const int file_;
  std::mutex mutex_;
  std::vector<JobStart> starts_;
  std::jthread reader_;  // last: it uses the other members
};

}  // namespace penstock
