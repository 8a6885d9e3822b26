// The options that determine how a worker runs, shared by the commands that run one (work, dev).
// Used from one thread.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "cli/program/program.h"
#include "consumer/worker/runtime.h"

namespace penstock {

class WorkerFlags {
 public:
  void add_options(CLI::App& command);

  // `config` overridden by the options. An error means wrong usage.
  [[nodiscard]] Result<RuntimeOptions> read(Config config) const;
  [[nodiscard]] bool names_queues() const { return !queues_.empty(); }
  [[nodiscard]] bool json_log() const { return log_ == "json"; }

 private:
  [[nodiscard]] Status read_handlers(RuntimeOptions& options) const;
  [[nodiscard]] Status choose_queues(RuntimeOptions& options) const;
  [[nodiscard]] Status choose_queue(std::string_view text, RuntimeOptions& options) const;
  [[nodiscard]] Status read_concurrency(RuntimeOptions& options) const;

  std::vector<std::string> queues_;
  std::vector<std::string> handlers_;
  std::vector<std::string> concurrency_;
  bool strict_ = false;
  int threads_ = 1;
  std::string grace_ = "25s";
  std::string log_ = "text";
};

}  // namespace penstock
