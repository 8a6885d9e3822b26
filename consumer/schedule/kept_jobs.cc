#include "consumer/schedule/kept_jobs.h"

#include <algorithm>

namespace penstock {

void Holds::take_limits(LiveJob* job) {
  for (Gate* const gate : std::exchange(job->holds, {})) held.push_back({gate, job->held_as});
}

void Holds::take_unique_gate(LiveJob* job) {
  Gate* const gate = std::exchange(job->unique_gate, nullptr);
  if (gate) held.push_back({gate, job->token.number});
}

void KeptJobs::give_to(LiveJob* first) {
  // Of a batch only one job has the slots, which may have come behind another one of the batch.
  if (!first->row.batch.given() || !first->holds.empty()) return;
  for (LiveJob* job = first->next; job && job->place.order == kGoesOnFirst; job = job->next) {
    if (job->holds.empty() || job->row.batch != first->row.batch) continue;
    first->holds = std::exchange(job->holds, {});
    first->held_as = job->held_as;
    // Harmless if it is there already, because of its own lock.
    add(first);
    if (!job->keeps()) remove(job);
    return;
  }
}

std::vector<LiveJob*> KeptJobs::exceeding() const {
  std::vector<LiveJob*> found;
  for (const auto& [key, job] : jobs_) {
    const std::vector<Gate*>& gates = job->holds;
    if (std::any_of(gates.begin(), gates.end(), [](const Gate* gate) { return gate->exceeded(); }))
      found.push_back(job);
  }
  return found;
}

}  // namespace penstock
