#include "tests/simulation/checks/flow/shared_rate_checks.h"

#include <algorithm>
#include <nlohmann/json.hpp>

namespace penstock::simulation {

void SharedRateChecks::told(PartitionId partition, const LogRecord& record) {
  if (record.key != kLaneLimit) return;
  const auto target = nlohmann::json::parse(record.value.value_or(""));
  told_[partition][record.offset] = {record.offset, target["slots"], target["of"]};
}

SharedRateChecks::Part SharedRateChecks::part(PartitionId partition, Offset read) const {
  const auto found = told_.find(partition);
  if (found == told_.end()) return {};
  const auto next = found->second.lower_bound(read);
  return next == found->second.begin() ? Part{} : std::prev(next)->second;
}

void SharedRateChecks::started(const AttemptRequest& request, Offset read, Time now) {
  if (request.type != kLaneType) return;
  const Part part = this->part(request.key.partition, read);
  const std::string who = request.account + "/" + request.id;
  if (!rules_.check(Rule::kSharedRate, part.slots > 0,
                    [&] { return who + " starts in a partition that has no part of the rate"; })) {
    return;
  }
  auto& starts = starts_[{request.key.partition, request.key.token.epoch, part.at}];
  starts.push_back(now);
  const std::int64_t burst = std::max<std::int64_t>(1, kLaneBurst * part.slots / part.of);
  for (std::size_t i = 0; i < starts.size(); ++i) {
    const std::int64_t took = (now - starts[i]).count();
    const auto allowed = static_cast<std::size_t>(burst + took * kLaneRate.count * part.slots /
                                                              (kLaneRate.period.count() * part.of));
    rules_.check(Rule::kSharedRate, starts.size() - i <= allowed, [&] {
      return who + " is the " + std::to_string(starts.size() - i) + ". start within " +
             std::to_string(took) + " ms in a partition that has " + std::to_string(part.slots) +
             " of " + std::to_string(part.of) + " parts of the rate";
    });
  }
}

}  // namespace penstock::simulation
