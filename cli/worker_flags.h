// The options that say how a worker runs, shared by the commands that are one (work, dev). For one
// thread.
#pragma once

#include <string>
#include <vector>

#include "cli/program.h"
#include "consumer/worker/runtime.h"

namespace penstock {

class WorkerFlags {
 public:
  void add_options(CLI::App& command);

  // The options put over `config`. An error is wrong usage.
  [[nodiscard]] Result<RuntimeOptions> read(Config config) const;
  [[nodiscard]] const std::vector<std::string>& queues() const { return queues_; }
  [[nodiscard]] bool json_log() const { return log_ == "json"; }

 private:
  [[nodiscard]] Status read_handlers(RuntimeOptions& options) const;
  [[nodiscard]] Status choose_queues(RuntimeOptions& options) const;

  std::vector<std::string> queues_;
  std::vector<std::string> handlers_;
  int concurrency_ = 100;
  int threads_ = 1;
  std::string grace_ = "25s";
  std::string log_ = "text";
};

}  // namespace penstock
