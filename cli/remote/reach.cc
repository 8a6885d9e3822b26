#include "cli/remote/reach.h"

#include <utility>

namespace penstock {
namespace {

constexpr std::chrono::seconds kProbeTimeout{3};

}  // namespace

Result<Reach> find_reach(const Program& program, const RemoteOptions& options) {
  auto config = program.config();
  if (!config) return tl::unexpected(config.error());
  const auto with_brokers = program.config_with_brokers();
  if (with_brokers && !options.via_http) return Reach{*std::move(config), std::nullopt};
  auto worker = worker_client(*config, options);
  if (!worker) {
    if (options.via_http) return tl::unexpected(worker.error());
    return failure(with_brokers.error().message +
                   "; and no worker can be asked instead: " + worker.error().message);
  }
  if (!options.via_http) {
    worker->link().set_timeouts(kProbeTimeout, kProbeTimeout);
    // Any answer will do: what is wrong with it, the actual question shows.
    if (const auto answer = worker->link().ask({.target = "/healthz"}); !answer) {
      return failure(with_brokers.error().message +
                     ". Nor is there a worker to go through (such as `penstock dev`): " +
                     answer.error().message);
    }
    worker->link().set_timeouts(WorkerLink::kConnectTimeout, WorkerLink::kAnswerTimeout);
  }
  return Reach{*std::move(config), *std::move(worker)};
}

Exit fail(Program& program, const WorkerError& error) {
  return program.fail(error.message, error.not_found ? Exit::kNotFound : Exit::kFailed);
}

}  // namespace penstock
