#include "topics/simulated/injector.h"

#include <algorithm>
#include <array>

#include "topics/simulated/cluster.h"

namespace penstock::simulated {
namespace {

using std::chrono::milliseconds;

constexpr std::array kLengths = {milliseconds(300), milliseconds(1500), milliseconds(4000),
                                 milliseconds(8000), milliseconds(12000)};
constexpr std::array kLeaderless = {milliseconds(0), milliseconds(200), milliseconds(1000),
                                    milliseconds(3000)};
constexpr Nanos kLongestDown = milliseconds(5000);
constexpr std::int64_t kMaxSkewMs = 250;  // so that two clocks differ by at most 500 ms

}  // namespace

void Injector::start() {
  if (cluster_->faults().rates().between <= Nanos{0}) return;
  next();
  cluster_->at(cluster_->faults().end(), [this] { heal(); });
}

void Injector::next() {
  const Nanos between = cluster_->faults().rates().between;
  cluster_->timeline().after(cluster_->random().between(between / 10, 2 * between), [this] {
    if (!cluster_->faulty()) return;
    inject(choose());
    next();
  });
}

Fault Injector::choose() const {
  const auto& weights = cluster_->faults().rates().weights;
  double sum = 0;
  for (const double weight : weights) sum += weight;
  constexpr std::uint64_t kSteps = 1 << 20;
  double point = sum * static_cast<double>(cluster_->random().below(kSteps)) / kSteps;
  for (std::size_t i = 0; i < weights.size(); ++i) {
    if (point < weights[i]) return static_cast<Fault>(i);
    point -= weights[i];
  }
  return Fault::kPause;
}

bool Injector::inject(Fault happening) {
  Random& random = cluster_->random();
  bool happened = false;
  switch (happening) {
    case Fault::kCrash:
    case Fault::kPause:
    case Fault::kCut:
    case Fault::kCutData:
    case Fault::kCutGroup: {
      if (cluster_->hosts() == 0) return false;
      SimulatedHost& host = cluster_->host(random.below(cluster_->hosts()));
      const Nanos length = kLengths[random.below(kLengths.size())];
      happened = inject_host(happening, host, random.between(length * 7 / 10, length * 13 / 10));
      break;
    }
    case Fault::kLeaderChange:
    case Fault::kForeignTrim:
      happened = inject_partition(happening);
      break;
    case Fault::kMove:
    case Fault::kKick:
      happened = inject_group(happening);
      break;
    default:
      return false;
  }
  if (happened) cluster_->faults().count(happening);
  return happened;
}

bool Injector::inject_host(Fault happening, SimulatedHost& host, Nanos length) {
  if (!host.up()) return false;
  if (happening == Fault::kCrash) {
    crash(host, std::min(length, kLongestDown));
  } else if (happening == Fault::kPause) {
    if (host.paused()) return false;
    pause(host, length);
  } else {
    const Instant until = cluster_->now() + length;
    if (happening != Fault::kCutGroup) host.cut_data(until);
    if (happening != Fault::kCutData) host.cut_group(until);
  }
  return true;
}

void Injector::crash(SimulatedHost& host, Nanos length) {
  host.crash();
  cluster_->timeline().after(length, [&host] { host.restart(); });
}

void Injector::pause(SimulatedHost& host, Nanos length) {
  host.pause();
  cluster_->timeline().after(length, [&host, pauses = host.pauses()] {
    if (host.pauses() == pauses) host.resume();
  });
}

bool Injector::inject_partition(Fault happening) {
  Random& random = cluster_->random();
  const auto partitions = cluster_->partitions();
  if (partitions.empty()) return false;
  Partition& partition = *partitions[random.below(partitions.size())];
  if (happening == Fault::kForeignTrim) {
    const auto records = static_cast<std::uint64_t>(partition.end().value);
    partition.trim(Offset{static_cast<std::int64_t>(random.below(records + 1))});
    return true;
  }
  const auto skew = static_cast<std::int64_t>(random.below(2 * kMaxSkewMs + 1)) - kMaxSkewMs;
  partition.lead(Duration(skew), cluster_->now() + kLeaderless[random.below(kLeaderless.size())]);
  if (random.chance(cluster_->faults().rates().lost_producer_state)) {
    cluster_->faults().count(Fault::kLostProducerState);
    partition.forget_producers();
  }
  return true;
}

bool Injector::inject_group(Fault happening) {
  Random& random = cluster_->random();
  const auto groups = cluster_->groups();
  if (groups.empty()) return false;
  Group& group = *groups[random.below(groups.size())];
  const auto partition =
      static_cast<PartitionId>(random.below(static_cast<std::uint64_t>(group.partitions())));
  if (happening == Fault::kKick) return group.kick(partition);
  if (!group.move(partition)) return false;
  if (!random.chance(cluster_->faults().rates().storm)) return true;
  cluster_->faults().count(Fault::kStorm);
  for (std::uint64_t i = 1 + random.below(2); i > 0; --i)
    cluster_->timeline().after(random.between(milliseconds(500), milliseconds(3000)),
                               [&group, partition] { group.move(partition); });
  return true;
}

void Injector::heal() {
  for (std::size_t i = 0; i < cluster_->hosts(); ++i) {
    SimulatedHost& host = cluster_->host(i);
    host.heal();
    host.resume();
    host.restart();
  }
  for (Partition* partition : cluster_->partitions()) partition->lead(partition->skew(), {});
}

}  // namespace penstock::simulated
