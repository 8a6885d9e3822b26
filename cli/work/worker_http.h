// The HTTP interface of a worker command: its option, and the server beside the runtime.
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

  // The option put over the config. An error is wrong usage.
  [[nodiscard]] Status apply(RuntimeOptions& options) const;
  // Null where HTTP is off, or where the config's address is taken: several workers of one machine
  // may share a config file, and the first has its address. An address of --http that is taken is
  // an error.
  [[nodiscard]] Result<std::unique_ptr<WorkerApi>> start(Runtime& runtime,
                                                         ProducerSink::Make producer,
                                                         WorkLog& log) const;

 private:
  std::string address_;
};

}  // namespace penstock
