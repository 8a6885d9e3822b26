#include "bench/failover/standstills.h"

#include <algorithm>

namespace penstock {
namespace {

constexpr std::chrono::milliseconds kJustNow{500};
constexpr std::chrono::seconds kForAWhile{2};

double seconds(SteadyClock::duration span) { return std::chrono::duration<double>(span).count(); }

// The starts of each partition, by time.
std::map<PartitionId, std::vector<JobStart>> by_partition(std::span<const JobStart> starts) {
  std::map<PartitionId, std::vector<JobStart>> found;
  for (const JobStart& start : starts) found[start.partition].push_back(start);
  return found;
}

struct Move {
  double longest = 0;  // without a start, since `from`
  std::optional<SteadyClock::time_point> at;
};

Move move_of(const std::vector<JobStart>& starts, SteadyClock::time_point from) {
  Move found;
  for (std::size_t i = 1; i < starts.size(); ++i) {
    if (starts[i].at < from) continue;
    found.longest = std::max(found.longest, seconds(starts[i].at - starts[i - 1].at));
    if (starts[i].worker != starts[i - 1].worker) found.at = starts[i].at;
  }
  return found;
}

}  // namespace

std::map<PartitionId, double> standstills(std::span<const JobStart> starts,
                                          SteadyClock::time_point from) {
  std::map<PartitionId, double> found;
  for (const auto& [partition, of_it] : by_partition(starts)) {
    if (const Move move = move_of(of_it, from); move.at) found[partition] = move.longest;
  }
  return found;
}

std::vector<double> undisturbed(std::span<const JobStart> starts,
                                const std::map<PartitionId, double>& moved,
                                SteadyClock::time_point to) {
  std::vector<double> found;
  for (auto& [partition, of_it] : by_partition(starts)) {
    if (!moved.contains(partition)) continue;
    std::vector<JobStart> before = of_it;
    std::erase_if(before, [to](const JobStart& start) { return start.at >= to; });
    found.push_back(move_of(before, {}).longest);
  }
  return found;
}

std::optional<double> back_after(std::span<const JobStart> starts, int killed,
                                 SteadyClock::time_point kill) {
  double longest = 0;
  for (const auto& [partition, of_it] : by_partition(starts)) {
    const auto first_after = std::find_if(of_it.begin(), of_it.end(), [&](const JobStart& start) {
      return start.at >= kill && start.worker != killed;
    });
    const bool had_it = first_after != of_it.begin() && std::prev(first_after)->worker == killed;
    if (!had_it) continue;
    if (first_after == of_it.end()) return std::nullopt;
    longest = std::max(longest, seconds(first_after->at - kill));
  }
  return longest;
}

bool settled(std::span<const JobStart> starts, std::size_t partitions, SteadyClock::time_point from,
             SteadyClock::time_point now) {
  const auto all = by_partition(starts);
  if (all.size() < partitions) return false;
  bool moved = false;
  for (const auto& [partition, of_it] : all) {
    if (of_it.back().at < now - kJustNow) return false;
    const Move move = move_of(of_it, from);
    if (!move.at) continue;
    moved = true;
    if (*move.at > now - kForAWhile) return false;
  }
  return moved;
}

}  // namespace penstock
