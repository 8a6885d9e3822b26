// How a worker is shown that GET /v1/workers has described. Pure.
#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "cli/program/table.h"

namespace penstock {

struct WorkerTotals {
  std::int64_t partitions = 0, running = 0;  // partitions, and those of them that run
  std::int64_t jobs = 0, state_bytes = 0;
  std::int64_t least_lease_ms = -1;  // of all partitions; -1: of none
  double restored = 1;               // 1: everything
  std::string phases;                // "10 running, 2 restoring"
};
[[nodiscard]] WorkerTotals totals_of(const nlohmann::ordered_json& worker);

// Its name or, without one, its id.
[[nodiscard]] std::string worker_name(const nlohmann::ordered_json& worker);
[[nodiscard]] bool is_ready(const nlohmann::ordered_json& worker);
// "yes", or why it is not ready
[[nodiscard]] std::string readiness(const nlohmann::ordered_json& worker);

[[nodiscard]] std::vector<std::string> worker_titles();
[[nodiscard]] std::vector<Cell> worker_row(const nlohmann::ordered_json& worker);

}  // namespace penstock
