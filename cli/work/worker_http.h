// The HTTP interface of a worker command: its option, and the server that runs next to the runtime.
// Used from one thread.
#pragma once

#include <memory>
#include <string>

#include "api/worker_api.h"
#include "cli/program/program.h"
#include "cli/work/work_log.h"
#include "consumer/worker/runtime.h"

namespace penstock {

class WorkerHttp {
 public:
  void add_option(CLI::App& command);

  // Overrides the config with the option. An error means wrong usage.
  [[nodiscard]] Status apply(RuntimeOptions& options) const;
  // Null if HTTP is off, or if the address in the config is in use: several workers on one machine
  // can share a config file, and the first one gets the address. If the address of --http is in
  // use, the result is an error.
  [[nodiscard]] Result<std::unique_ptr<WorkerApi>> start(Runtime& runtime,
                                                         ProducerSink::Make producer,
                                                         WorkLog& log) const;

 private:
  std::string address_;
};

}  // namespace penstock
