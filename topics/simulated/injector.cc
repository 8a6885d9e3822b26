#include "topics/simulated/injector.h"

#include <algorithm>
#include <array>

namespace penstock::simulated {
namespace {

using std::chrono::milliseconds;

constexpr std::array kLengths = {milliseconds(300), milliseconds(1500), milliseconds(4000),
                                 milliseconds(8000), milliseconds(12000)};
constexpr std::array kLeaderless = {milliseconds(0), milliseconds(200), milliseconds(1000),
                                    milliseconds(3000)};
constexpr Nanos kLongestDown = milliseconds(5000);

}  // namespace

void Injector::start() {
  if (world_->faults().rates().between <= Nanos{0}) return;
  next();
  world_->timeline().at(world_->faults().end(), [this] { heal(); });
}

void Injector::next() {
  const Nanos between = world_->faults().rates().between;
  world_->timeline().after(world_->random().between(between / 10, 2 * between), [this] {
    if (!world_->faulty()) return;
    inject(choose());
    next();
  });
}

Fault Injector::choose() const {
  const auto& weights = world_->faults().rates().weights;
  double sum = 0;
  for (const double weight : weights) sum += weight;
  constexpr std::uint64_t kSteps = 1 << 20;
  double point = sum * static_cast<double>(world_->random().below(kSteps)) / kSteps;
  for (std::size_t i = 0; i < weights.size(); ++i) {
    if (point < weights[i]) return static_cast<Fault>(i);
    point -= weights[i];
  }
  // Reached only if rounding leaves a remainder after the last weight.
  return Fault::kPause;
}

bool Injector::inject(Fault happening) {
  Random& random = world_->random();
  bool happened = false;
  switch (happening) {
    case Fault::kCrash:
    case Fault::kPause:
    case Fault::kCut:
    case Fault::kCutData:
    case Fault::kCutGroup: {
      if (hosts_->empty()) return false;
      SimulatedHost& host = *(*hosts_)[random.below(hosts_->size())];
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
  if (happened) world_->faults().count(happening);
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
    const Instant until = world_->now() + length;
    if (happening != Fault::kCutGroup) host.cut_data(until);
    if (happening != Fault::kCutData) host.cut_group(until);
  }
  return true;
}

void Injector::crash(SimulatedHost& host, Nanos length) {
  host.crash();
  // Does nothing if the host has been restarted in the meantime.
  world_->timeline().after(length, [&host] { host.restart(); });
}

void Injector::pause(SimulatedHost& host, Nanos length) {
  host.pause();
  // A crash may have ended this pause, and another one may have begun.
  world_->timeline().after(length, [&host, pauses = host.pauses()] {
    if (host.pauses() == pauses) host.resume();
  });
}

bool Injector::inject_partition(Fault happening) {
  Random& random = world_->random();
  const auto partitions = brokers_->topics().partitions();
  if (partitions.empty()) return false;
  Partition& partition = *partitions[random.below(partitions.size())];
  if (happening == Fault::kForeignTrim) {
    const auto records = static_cast<std::uint64_t>(partition.end().value);
    partition.trim(Offset{static_cast<std::int64_t>(random.below(records + 1))});
    return true;
  }
  const auto skew = static_cast<std::int64_t>(random.below(2 * kMaxSkewMs + 1)) - kMaxSkewMs;
  partition.lead(Duration(skew), world_->now() + kLeaderless[random.below(kLeaderless.size())]);
  if (random.chance(world_->faults().rates().lost_producer_state)) {
    world_->faults().count(Fault::kLostProducerState);
    partition.forget_producers();
  }
  return true;
}

bool Injector::inject_group(Fault happening) {
  Random& random = world_->random();
  const auto groups = brokers_->groups().all();
  if (groups.empty()) return false;
  Group& group = *groups[random.below(groups.size())];
  const auto partition =
      static_cast<PartitionId>(random.below(static_cast<std::uint64_t>(group.partitions())));
  if (happening == Fault::kKick) return group.kick(partition);
  if (!group.move(partition)) return false;
  if (!random.chance(world_->faults().rates().storm)) return true;
  world_->faults().count(Fault::kStorm);
  for (std::uint64_t i = 1 + random.below(2); i > 0; --i)
    world_->timeline().after(random.between(milliseconds(500), milliseconds(3000)),
                             [&group, partition] { group.move(partition); });
  return true;
}

void Injector::heal() {
  for (std::size_t i = 0; i < hosts_->size(); ++i) {  // a restart may add hosts
    SimulatedHost& host = *(*hosts_)[i];
    host.heal();
    host.resume();
    host.restart();
  }
  for (Partition* partition : brokers_->topics().partitions())
    partition->lead(partition->skew(), {});
}

}  // namespace penstock::simulated
