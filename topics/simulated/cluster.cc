#include "topics/simulated/cluster.h"

#include <algorithm>

#include "topics/values/check.h"

namespace penstock {
namespace {

constexpr std::int64_t kMaxRatePpm = 10'000;

}  // namespace

SimulatedCluster::SimulatedCluster(const ClusterOptions& options)
    : world_(options), brokers_(world_), injector_(world_, brokers_, hosts_) {
  injector_.start();
}

SimulatedCluster::~SimulatedCluster() {
  const bool idle = std::all_of(hosts_.begin(), hosts_.end(),
                                [](const auto& host) { return host->sessions() == 0; });
  PENSTOCK_CHECK(idle, "a simulated cluster outlives its sessions");
}

SimulatedHost& SimulatedCluster::add_host() {
  simulated::Random& random = world_.random();
  const auto range = static_cast<std::uint64_t>(2 * kMaxRatePpm + 1);
  const std::int64_t rate = world_.options().rates_differ
                                ? static_cast<std::int64_t>(random.below(range)) - kMaxRatePpm
                                : 0;
  // Hosts boot at different times, so an instant of one host's boot clock means nothing on another.
  const Instant booted{random.between(std::chrono::hours(1), std::chrono::hours(1000))};
  hosts_.push_back(std::make_unique<SimulatedHost>(world_, hosts_.size(), rate, booted));
  return *hosts_.back();
}

Offset SimulatedCluster::append(std::string_view topic, PartitionId partition,
                                const NewRecord& record) {
  Partition* const to = find(topic, partition);
  PENSTOCK_CHECK(to != nullptr, "the topic has been created");
  return topics().enter(*to, topics().keep(record, wall()));
}

void SimulatedCluster::trim(std::string_view topic, PartitionId partition, Offset before) {
  Partition* const of = find(topic, partition);
  PENSTOCK_CHECK(of != nullptr, "the topic has been created");
  of->trim(before);
}

}  // namespace penstock
