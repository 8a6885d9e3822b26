#include "consumer/slots/allotment.h"

#include <algorithm>

#include "state/rows/encoding.h"
#include "topics/values/check.h"

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

int part_of(const Allotment::Told& part, int limit) {
  return static_cast<int>(std::int64_t{part.slots} * limit / part.of);
}

// The parts of a limit that other partitions may still follow.
class Parts {
 public:
  void add(const Allotment::Told& part) { by_of_[part.of] += part.slots; }
  void remove(const Allotment::Told& part) { by_of_[part.of] -= part.slots; }
  // What they leave of the limit, rounded down.
  [[nodiscard]] int left_of(int limit) const {
    std::int64_t left = limit;
    // Rounded up once per number that parts are of, not once per partition, which would waste up to
    // a slot for each.
    for (const auto& [of, slots] : by_of_) left -= (slots * limit + of - 1) / of;
    return static_cast<int>(std::max<std::int64_t>(left, 0));
  }

 private:
  std::map<int, std::int64_t> by_of_;  // slots
};

}  // namespace

int Allotment::Partition::bound() const {
  int most = 0;
  for (const Told& target : targets) most = std::max(most, target.slots);
  return most;
}

Allotment::Told Allotment::Partition::part() const {
  Told most{.of = 1};
  for (const Told& target : targets) {
    // Where `of` is not known (0), the part counts as the whole limit.
    const int of = std::max(target.of, target.slots);
    if (std::int64_t{target.slots} * most.of > std::int64_t{most.slots} * of)
      most = {target.version, target.slots, of};
  }
  return most;
}

// -- What partitions say

void Allotment::take(const SlotReport& report) {
  if (report.said) said_ = *report.said;
  const auto [found, fresh] = partitions_.try_emplace(report.from);
  Partition& partition = found->second;
  // A partition that was forgotten, or was never known, may hold what its report says.
  if (fresh) partition.targets.push_back({report.version, report.keeps});
  partition.demand = report.demand;
  if (report.said) partition.said = report.said;
  // A report supersedes all targets before the one that it answers.
  while (partition.targets.size() > 1 && partition.targets.front().version < report.version) {
    partition.targets.pop_front();
  }
  Told& oldest = partition.targets.front();
  // What the report does not keep is released.
  if (oldest.version == report.version) oldest.slots = std::min(oldest.slots, report.keeps);
  if (oldest.version < report.version)
    // Told by an owner whose rows are lost.
    oldest = {report.version, report.keeps};
}

std::vector<SaidLimit> Allotment::said() const {
  std::vector<SaidLimit> all;
  for (const auto& [holder, partition] : partitions_) {
    // A partition without demand may know an old configuration, and must not restrict the others.
    if (partition.demand == 0 || !partition.said) continue;
    if (std::find(all.begin(), all.end(), *partition.said) == all.end())
      all.push_back(*partition.said);
  }
  if (all.empty()) all.push_back(said_);
  return all;
}

// -- Who gets how many

std::vector<Allotment::Partition*> Allotment::from_first() {
  std::vector<Partition*> all;
  const auto first = partitions_.lower_bound(first_);
  for (auto at = first; at != partitions_.end(); ++at) all.push_back(&at->second);
  for (auto at = partitions_.begin(); at != first; ++at) all.push_back(&at->second);
  return all;
}

// Max-min fairness: all get the same until they have enough. Slots that do not divide evenly go to
// the partitions that are first in turn.
void Allotment::share(int limit) {
  std::vector<Partition*> hungry;
  for (Partition* const partition : from_first()) {
    partition->goal = 0;
    if (partition->demand > 0) hungry.push_back(partition);
  }
  int left = limit;
  // Ends, because each round satisfies a partition or leaves fewer slots than hungry partitions.
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

// The first in turn is then a partition that has less than others, though it could use more.
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

// A larger target, from what no other partition may still use. Where the parts are short, they come
// back one answer at a time, and a partition that has not answered is not sent a target for each.
std::optional<int> Allotment::raised(const Partition& partition, int room, int by_part) {
  const int slots = std::min({partition.goal, room, by_part});
  if (slots < std::min(partition.goal, room) && partition.targets.size() > 1) return std::nullopt;
  return slots > partition.current() ? std::optional(slots) : std::nullopt;
}

// A smaller target, or the same by the limit as it is now, as far as the parts of others permit.
std::optional<int> Allotment::renewed(const Partition& partition, int by_part, int limit) {
  const int goal = std::min(partition.goal, partition.current());
  const int slots = std::min(goal, by_part);
  const bool is_old = partition.current() > 0 && partition.targets.back().of != limit;
  const bool tells = slots < partition.current()
                         ? goal < partition.current() || slots > part_of(partition.part(), limit)
                         : is_old;
  return tells ? std::optional(slots) : std::nullopt;
}

std::vector<Allotment::Change> Allotment::allot(int limit, bool pass) {
  share(limit);
  if (pass && unequal_) {
    pass_turn();
    share(limit);
  }
  std::vector<Change> changes;
  int used = in_use();
  Parts parts;
  for (const auto& [holder, partition] : partitions_) parts.add(partition.part());
  for (auto& [holder, partition] : partitions_) {
    // Its row would grow with every target.
    if (partition.targets.size() >= kMaxUnanswered) continue;
    // Counted by what the others may still use, not by what they were last told: a slot is free
    // only once a report has released it.
    const int others = used - partition.bound();
    const Told part = partition.part();
    parts.remove(part);
    const int by_part = std::max(part_of(part, limit), parts.left_of(limit));
    auto slots = raised(partition, limit - others, by_part);
    if (!slots) slots = renewed(partition, by_part, limit);
    if (slots) {
      partition.targets.push_back({partition.targets.back().version + 1, *slots, limit});
      changes.push_back({holder, partition.targets.back()});
    }
    parts.add(partition.part());
    used = others + partition.bound();
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
  std::vector<SaidLimit> all;
  const auto number = [&](const SaidLimit& said) {
    const auto at = std::find(all.begin(), all.end(), said) - all.begin();
    if (static_cast<std::size_t>(at) == all.size()) all.push_back(said);
    return static_cast<std::uint64_t>(at) + 1;
  };
  std::string rest;
  put_varint(rest, number(said_));
  put_holder(rest, first_);
  put_varint(rest, partitions_.size());
  for (const auto& [holder, partition] : partitions_) {
    put_holder(rest, holder);
    put_varint(rest, static_cast<std::uint64_t>(partition.demand));
    put_varint(rest, partition.said ? number(*partition.said) : 0);
    put_varint(rest, partition.targets.size());
    for (const Told& target : partition.targets) {
      put_u64(rest, target.version);
      put_varint(rest, static_cast<std::uint64_t>(target.slots));
      put_varint(rest, static_cast<std::uint64_t>(target.of));
    }
  }
  std::string bytes = "2";
  put_varint(bytes, all.size());
  for (const SaidLimit& said : all) {
    put_text(bytes, said.written);
    put_text(bytes, to_json(said.limit));
  }
  return bytes + rest;
}

namespace {

SaidLimit read_said(Cursor& cursor) {
  SaidLimit said;
  said.written = cursor.text();
  said.limit = parse_limit_override(cursor.text()).value_or(LimitOverride{.slots = 0});
  return said;
}

}  // namespace

Allotment Allotment::decode(std::string_view bytes) {
  Cursor cursor(bytes);
  Allotment allotment;
  const bool is_old = cursor.u8() == '1';
  std::vector<SaidLimit> all;
  for (std::uint64_t left = is_old ? 1 : cursor.varint(); left > 0 && !cursor.failed(); --left)
    all.push_back(read_said(cursor));
  const auto read_index = [&]() -> std::optional<SaidLimit> {
    const std::uint64_t number = cursor.varint();
    return number > 0 && number <= all.size() ? std::optional(all[number - 1]) : std::nullopt;
  };
  allotment.said_ = is_old ? all.front() : read_index().value_or(allotment.said_);
  allotment.first_ = read_holder(cursor);
  for (std::uint64_t left = cursor.varint(); left > 0 && !cursor.failed(); --left) {
    Partition& partition = allotment.partitions_[read_holder(cursor)];
    partition.demand = static_cast<int>(cursor.varint());
    if (!is_old) partition.said = read_index();
    for (std::uint64_t targets = cursor.varint(); targets > 0 && !cursor.failed(); --targets) {
      Told target{cursor.u64(), static_cast<int>(cursor.varint()), 0};
      if (!is_old) target.of = static_cast<int>(cursor.varint());
      partition.targets.push_back(target);
    }
  }
  PENSTOCK_CHECK(!cursor.failed() && cursor.at_end(), "a row of an allotment follows its grammar");
  return allotment;
}

}  // namespace penstock
