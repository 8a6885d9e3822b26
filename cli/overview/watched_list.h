// A command that lists what a worker answers, once or again and again (--watch). Used by one thread.
#pragma once

#include "cli/program/watch.h"
#include "cli/remote/reach.h"

namespace penstock {

class WatchedList : public Command {
 public:
  RemoteOptions remote;
  Watch watch;

  Exit run(Program& program) final {
    const auto config = program.config();
    if (!config) return program.usage_error(config.error().message);
    auto worker = worker_client(*config, remote);
    if (!worker) return program.usage_error(worker.error().message);
    return watch.run(program, [&] { return list(program, *worker); });
  }
  void add_options(CLI::App& app) {
    watch.add_option(app);
    add_remote_options(app, remote);
  }

 private:
  // Lists it once.
  [[nodiscard]] virtual Exit list(Program& program, WorkerClient& worker) const = 0;
};

}  // namespace penstock
