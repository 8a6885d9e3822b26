#include "cli/overview/worker_view.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "cli/remote/json_text.h"

namespace penstock {

WorkerTotals totals_of(const nlohmann::ordered_json& worker) {
  WorkerTotals totals;
  auto phases = nlohmann::ordered_json::object();
  double restored = 0, to_restore = 0;
  for (const auto& queue : array_member(worker, "queues")) {
    for (const auto& partition : array_member(queue, "partitions")) {
      const std::string phase = text_of(partition, "phase");
      ++totals.partitions;
      totals.running += phase == "running" ? 1 : 0;
      phases[phase] = phases.value(phase, 0) + 1;
      totals.jobs += count_member(partition, "jobs");
      totals.state_bytes += count_member(partition, "state_bytes");
      if (partition.contains("lease_ms") && partition["lease_ms"].is_number()) {
        const std::int64_t lease = count_member(partition, "lease_ms");
        totals.least_lease_ms =
            totals.least_lease_ms < 0 ? lease : std::min(totals.least_lease_ms, lease);
      }
      if (phase == "running") continue;
      restored += number_member(partition, "restored");
      to_restore += number_member(partition, "restore_end");
    }
  }
  totals.phases = counts_by_name(phases);
  if (to_restore > 0) totals.restored = std::min(1.0, restored / to_restore);
  return totals;
}

std::string worker_name(const nlohmann::ordered_json& worker) {
  std::string name = text_of(worker, "name");
  return name.empty() ? text_of(worker, "id") : name;
}

bool is_ready(const nlohmann::ordered_json& worker) { return text_of(worker, "ready") == "true"; }

std::string readiness(const nlohmann::ordered_json& worker) {
  if (is_ready(worker)) return "yes";
  const std::string reason = text_of(worker, "reason");
  return reason.empty() ? "no" : "no: " + reason;
}

std::vector<std::string> worker_titles() {
  return {"WORKER", "URL", "VERSION", "STARTED", "PARTITIONS", "PHASES", "JOBS", "STATE", "READY"};
}

std::vector<Cell> worker_row(const nlohmann::ordered_json& worker) {
  const WorkerTotals totals = totals_of(worker);
  const std::string url = text_of(worker, "url");
  return {{worker_name(worker)},
          {url.empty() ? "-" : url},
          {text_of(worker, "version")},
          {text_of(worker, "started")},
          {std::to_string(totals.partitions)},
          {totals.phases},
          {std::to_string(totals.jobs)},
          {bytes_text(totals.state_bytes)},
          {readiness(worker), is_ready(worker) ? std::nullopt : std::optional(Colour::kRed)}};
}

}  // namespace penstock
