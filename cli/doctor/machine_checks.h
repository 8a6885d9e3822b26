// What `penstock doctor` looks at on this machine: the state directory, the token, and the worker
// that answers here. Each check returns at least one finding.
#pragma once

#include "cli/doctor/finding.h"
#include "cli/remote/worker_client.h"
#include "consumer/config/config.h"

namespace penstock {

[[nodiscard]] Findings check_disk(const Config& config);
[[nodiscard]] Findings check_state_directory(const Config& config);
[[nodiscard]] Findings check_token(const HttpConfig& http);
// Asks /readyz and /v1/queues.
[[nodiscard]] Findings check_worker(WorkerClient& worker);

}  // namespace penstock
