// The options that say how a worker runs, shared by the commands that are one (work, dev). For one
// thread.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "api/worker_api.h"
#include "cli/program.h"
#include "cli/work_log.h"
#include "consumer/worker/runtime.h"

namespace penstock {

class WorkerFlags {
 public:
  void add_options(CLI::App& command);

  // The options put over `config`. An error is wrong usage.
  [[nodiscard]] Result<RuntimeOptions> read(Config config) const;
  // Serves HTTP for the runtime; null where it is off, or where the config's address is taken.
  [[nodiscard]] Result<std::unique_ptr<WorkerApi>> start_http(Runtime& runtime,
                                                              ProducerSink::Make producer,
                                                              WorkLog& log) const;
  [[nodiscard]] const std::vector<std::string>& queues() const { return queues_; }
  [[nodiscard]] bool json_log() const { return log_ == "json"; }

 private:
  [[nodiscard]] Status read_handlers(RuntimeOptions& options) const;
  [[nodiscard]] Status choose_address(HttpConfig& http) const;
  [[nodiscard]] Status choose_queues(RuntimeOptions& options) const;

  std::vector<std::string> queues_;
  std::vector<std::string> handlers_;
  int concurrency_ = 100;
  int threads_ = 1;
  std::string grace_ = "25s";
  std::string http_;
  std::string log_ = "text";
};

}  // namespace penstock
