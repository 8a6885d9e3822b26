#include "consumer/worker/topics_at_start.h"

#include <algorithm>
#include <utility>

#include "topics/topic_specs.h"

namespace penstock {

Result<std::vector<Deviation>> TopicsAtStart::check(const QueuePolicy& policy) {
  const auto brokers = log_.broker_count();
  if (!brokers) return tl::unexpected(brokers.error());
  const int replication = replication_for(*brokers);
  auto specs =
      queue_topic_specs(QueueNames(prefix_, policy.name), {policy.partitions, replication});
  for (TopicSpec& shared : shared_topic_specs(prefix_, replication))
    specs.push_back(std::move(shared));
  auto deviations = check_topics(log_, specs);
  if (!deviations) return tl::unexpected(deviations.error());
  const bool only_missing =
      !deviations->empty() &&
      std::all_of(deviations->begin(), deviations->end(),
                  [](const Deviation& each) { return each.fixable && !each.setting; });
  if (only_missing && ++missing_asks_ < kMaxMissingAsks)
    return failure("topic " + deviations->front().topic + " does not exist yet");
  return deviations;
}

}  // namespace penstock
