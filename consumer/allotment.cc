#include "consumer/allotment.h"

#include <algorithm>

#include "state/encoding.h"
#include "topics/check.h"
#include "topics/planted.h"

namespace penstock {
namespace {

void put_holder(std::string& out, const SlotHolder& holder) {
  put_text(out, holder.queue);
  put_u32(out, static_cast<std::uint32_t>(holder.partition));
}

SlotHolder read_holder(Cursor& cursor) {
  SlotHolder holder;
  holder.queue = cursor.text();
  holder.partition = static_cast<PartitionId>(cursor.u32());
  return holder;
}

}  // namespace

int Allotment::Partition::bound() const {
  if (planted(Bug::kSlotsNewestOnly)) return current();
  int most = 0;
  for (const Told& target : targets) most = std::max(most, target.slots);
  return most;
}

// -- What partitions say

void Allotment::take(const SlotReport& report) {
  if (report.said) said_ = *report.said;
  const auto [found, fresh] = partitions_.try_emplace(report.from);
  Partition& partition = found->second;
  // What was forgotten when nothing was left of it begins where the partition stands.
  if (fresh) partition.targets.push_back({report.version, report.keeps});
  partition.demand = report.demand;
  while (partition.targets.size() > 1 && partition.targets.front().version < report.version) {
    partition.targets.pop_front();
  }
  Told& oldest = partition.targets.front();
  if (oldest.version == report.version) oldest.slots = std::min(oldest.slots, report.keeps);
  if (oldest.version < report.version)
    oldest = {report.version, report.keeps};  // told by an owner whose rows are lost
}

// -- Who gets how many

std::vector<Allotment::Partition*> Allotment::from_first() {
  std::vector<Partition*> all;
  const auto first = partitions_.lower_bound(first_);
  for (auto at = first; at != partitions_.end(); ++at) all.push_back(&at->second);
  for (auto at = partitions_.begin(); at != first; ++at) all.push_back(&at->second);
  return all;
}

// Max-min: all get the same until they have enough; what does not divide goes to the first in turn.
void Allotment::share(int limit) {
  std::vector<Partition*> hungry;
  for (Partition* const partition : from_first()) {
    partition->goal = 0;
    if (partition->demand > 0) hungry.push_back(partition);
  }
  int left = limit;
  while (!hungry.empty() && left >= static_cast<int>(hungry.size())) {
    const int each = left / static_cast<int>(hungry.size());
    for (Partition* const partition : hungry) {
      const int more = std::min(each, partition->demand - partition->goal);
      partition->goal += more;
      left -= more;
    }
    std::erase_if(hungry,
                  [](const Partition* partition) { return partition->goal == partition->demand; });
  }
  give_one_each(hungry, left);
}

void Allotment::give_one_each(std::vector<Partition*>& hungry, int left) {
  unequal_ = left > 0 && left < static_cast<int>(hungry.size());
  for (int i = 0; i < left && i < static_cast<int>(hungry.size()); ++i)
    ++hungry[static_cast<std::size_t>(i)]->goal;
}

// Those who have less than others, though they have use for more, are the first in turn.
void Allotment::pass_turn() {
  int most = 0;
  for (const auto& [holder, partition] : partitions_) most = std::max(most, partition.goal);
  const auto lacks = [most](const Partition& partition) {
    return partition.goal < most && partition.goal < partition.demand;
  };
  const auto first = partitions_.lower_bound(first_);
  auto next = std::find_if(first, partitions_.end(),
                           [&](const auto& entry) { return lacks(entry.second); });
  if (next == partitions_.end()) {
    next = std::find_if(partitions_.begin(), first,
                        [&](const auto& entry) { return lacks(entry.second); });
    if (next == first) return;
  }
  first_ = next->first;
}

void Allotment::tell(const SlotHolder& to, Partition& partition, int slots,
                     std::vector<Change>& changes) {
  if (partition.targets.size() >= kMaxUnanswered) return;
  partition.targets.push_back({partition.targets.back().version + 1, slots});
  changes.push_back({to, partition.targets.back()});
}

std::vector<Allotment::Change> Allotment::allot(int limit, bool pass) {
  share(limit);
  if (pass && unequal_) {
    pass_turn();
    share(limit);
  }
  std::vector<Change> changes;
  for (auto& [holder, partition] : partitions_) {
    if (partition.goal < partition.current()) tell(holder, partition, partition.goal, changes);
  }
  int used = in_use();
  for (auto& [holder, partition] : partitions_) {
    const int bound = partition.bound();
    const int may_have = limit - (used - bound);  // what no other partition may still use
    const int slots = std::min(partition.goal, may_have);
    if (slots <= partition.current()) continue;
    tell(holder, partition, slots, changes);
    used += partition.bound() - bound;
  }
  return changes;
}

int Allotment::in_use() const {
  int used = 0;
  for (const auto& [holder, partition] : partitions_) used += partition.bound();
  return used;
}

bool Allotment::settled() const {
  return std::all_of(partitions_.begin(), partitions_.end(),
                     [](const auto& entry) { return entry.second.targets.size() == 1; });
}

bool Allotment::unused() const {
  return std::all_of(partitions_.begin(), partitions_.end(), [](const auto& entry) {
    const Partition& partition = entry.second;
    return partition.demand == 0 && partition.targets.size() == 1 && partition.current() == 0;
  });
}

// -- Bytes

std::string Allotment::encode() const {
  std::string bytes = "1";
  put_text(bytes, said_.written);
  put_text(bytes, to_json(said_.limit));
  put_holder(bytes, first_);
  put_varint(bytes, partitions_.size());
  for (const auto& [holder, partition] : partitions_) {
    put_holder(bytes, holder);
    put_varint(bytes, static_cast<std::uint64_t>(partition.demand));
    put_varint(bytes, partition.targets.size());
    for (const Told& target : partition.targets) {
      put_u64(bytes, target.version);
      put_varint(bytes, static_cast<std::uint64_t>(target.slots));
    }
  }
  return bytes;
}

Allotment Allotment::decode(std::string_view bytes) {
  Cursor cursor(bytes);
  Allotment allotment;
  cursor.u8();
  allotment.said_.written = cursor.text();
  allotment.said_.limit = parse_limit_override(cursor.text()).value_or(LimitOverride{.slots = 0});
  allotment.first_ = read_holder(cursor);
  for (std::uint64_t left = cursor.varint(); left > 0 && !cursor.failed(); --left) {
    Partition& partition = allotment.partitions_[read_holder(cursor)];
    partition.demand = static_cast<int>(cursor.varint());
    for (std::uint64_t targets = cursor.varint(); targets > 0 && !cursor.failed(); --targets) {
      const std::uint64_t version = cursor.u64();
      partition.targets.push_back({version, static_cast<int>(cursor.varint())});
    }
  }
  PENSTOCK_CHECK(!cursor.failed() && cursor.at_end(), "a row of an allotment follows its grammar");
  return allotment;
}

}  // namespace penstock
