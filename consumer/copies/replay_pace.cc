#include "consumer/copies/replay_pace.h"

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "topics/partitioner.h"

namespace penstock {
namespace {

// The partitions where copies are made: those of the accounts, if accounts are selected. (A record
// of theirs that lies in another partition counts at its partition's rate among all.)
bool is_home(const ReplayRecord& record, PartitionId partition) {
  const auto partitions = static_cast<int>(record.ranges.size());
  const auto& accounts = record.terms.accounts;
  return accounts.empty() ||
         std::any_of(accounts.begin(), accounts.end(), [&](const auto& account) {
           return partition_of(account, partitions) == partition;
         });
}

std::int64_t records_of(const ReplayRecord& record, PartitionId partition) {
  const auto at = static_cast<std::size_t>(partition);
  return at < record.ranges.size() ? record.ranges[at].records() : 0;
}

}  // namespace

void ReplayPace::set(const ReplayRecord& record, PartitionId partition) {
  rate_.reset();
  const std::int64_t own = records_of(record, partition);
  if (!record.terms.rate || own <= 0) return;
  std::int64_t all = record.records();
  if (is_home(record, partition)) {
    all = 0;
    for (PartitionId other = 0; other < static_cast<PartitionId>(record.ranges.size()); ++other)
      all += is_home(record, other) ? records_of(record, other) : 0;
  }
  const Rate& rate = *record.terms.rate;
  const double part = static_cast<double>(own) / static_cast<double>(std::max(all, own));
  const auto period =
      static_cast<std::int64_t>(std::ceil(static_cast<double>(rate.period.count()) / part));
  const Duration own_period = std::min(Duration{period}, Duration{Gcra::kMaxPeriod});
  auto burst = static_cast<int>(default_burst(rate) * part);
  // The copies of a tick, rounded up. The burst, those of ten ticks, loses none while it waits for
  // the next tick. It is smaller by one tick's: what is made late in a tick counts as made at its
  // beginning, and the rate must not be exceeded.
  const auto of_tick = static_cast<int>(kTick.count() * rate.count / own_period.count()) + 1;
  const bool in_ticks = of_tick > 1;
  tick_ = in_ticks ? kTick : Duration{1};
  if (in_ticks) burst -= of_tick;
  rate_.emplace(rate.count, own_period, std::max(1, burst));
  // Otherwise all partitions would make their first copy at once.
  const std::int64_t interval = own_period.count() / rate.count;
  first_ = Time{};
  if (burst < 1) {
    first_ = record.started_at +
             Duration{interval * partition / static_cast<std::int64_t>(record.ranges.size())};
  }
}

Time ReplayPace::next_copy(Time now) const {
  if (!rate_) return now;
  const Time tick = tick_of(now);
  const Time permitted = rate_->earliest(state_, tick);
  const Time at = permitted <= tick ? now : tick_of(permitted + tick_ - Duration{1});
  return std::max(first_, at);
}

}  // namespace penstock
