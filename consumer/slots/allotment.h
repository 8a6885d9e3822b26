// How the slots of one shared limit are allotted to partitions: whole slots, by max-min fairness
// over the partitions' demands. docs/decisions/slots-given-back.md has the reasons.
//
// What always holds: the largest numbers that the partitions may still use, over the targets that
// none of their reports has superseded, never exceed the limit together, or what they were together
// when it was lowered. A slot is allotted elsewhere only when it has been released. If partitions
// disagree about the limit's configuration, the strictest of those with demand is in force.
//
// A partition knows what number its slots were a part of when it received the target, and keeps to
// its part of a lower number by itself. The largest parts (slots divided by that number) that the
// partitions may still follow never add up to more than the whole, or than before. So whatever
// numbers the limit is set to, in any order, and regardless of which partitions have heard of them,
// together they stay below the limit. When the number has changed, every partition is sent a new
// target: at once if its part does not grow, and for a larger part once others have answered that
// they follow a smaller one.
//
//   bytes     := "2" count:varint said* last:varint first:holder count:varint partition*
//   said      := written:text limit:text
//   partition := holder demand:varint said:varint targets:varint target*
//   holder    := queue:text partition:u32
//   target    := version:u64 slots:varint of:varint
//
// `last` and `said` are 1 plus the index of a said, or 0. Bytes that begin with "1" are of an
// earlier version: written:text limit:text first:holder count:varint (holder demand:varint
// targets:varint (version:u64 slots:varint)*)*
//
// Pure; a value of the owner's task.
#pragma once

#include <deque>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "consumer/limits/slot_message.h"

namespace penstock {

class Allotment {
 public:
  // A partition that has left this many targets unanswered is sent no more until it answers.
  static constexpr std::size_t kMaxUnanswered = 8;

  struct Told {
    std::uint64_t version = 0;
    int slots = 0;
    int of = 0;  // what there were in all; 0: not known
    friend bool operator==(const Told&, const Told&) = default;
  };
  struct Change {
    SlotHolder to;
    Told target;
  };

  void take(const SlotReport& report);
  // The targets that change now, if there are `limit` slots. `pass_turn`: if not all partitions can
  // have the same, those that have less are first from now on.
  [[nodiscard]] std::vector<Change> allot(int limit, bool pass_turn);
  // A partition has less than another one and could use more, so the slots must rotate after a
  // while.
  [[nodiscard]] bool unequal() const { return unequal_; }
  // Every target has been answered.
  [[nodiscard]] bool settled() const;
  // A new allotment would be the same.
  [[nodiscard]] bool unused() const;

  // What the configuration says, according to the partitions that have use for the limit, or else
  // to the last report; no slots if none has said anything. At least one element.
  [[nodiscard]] std::vector<SaidLimit> said() const;
  // How many slots the partitions may use together at most, now.
  [[nodiscard]] int in_use() const;

  [[nodiscard]] std::string encode() const;
  [[nodiscard]] static Allotment decode(std::string_view bytes);

 private:
  struct Partition {
    int demand = 0;
    std::deque<Told> targets;  // not yet superseded; the last one is the current one; never empty
    int goal = 0;              // of the allotting under way
    std::optional<SaidLimit> said = {};

    [[nodiscard]] int current() const { return targets.back().slots; }
    [[nodiscard]] int bound() const;
    // The largest fraction of the limit that it may still follow; if that is not known, all of it.
    [[nodiscard]] Told part() const;
  };
  using Partitions = std::map<SlotHolder, Partition>;

  [[nodiscard]] std::vector<Partition*> from_first();
  void share(int limit);
  void give_one_each(std::vector<Partition*>& hungry, int left);
  void pass_turn();
  [[nodiscard]] static std::optional<int> raised(const Partition& partition, int room, int by_part);
  [[nodiscard]] static std::optional<int> renewed(const Partition& partition, int by_part,
                                                  int limit);

  SaidLimit said_{{}, {.slots = 0}};  // last
  SlotHolder first_;                  // which partition is first where not all can have the same
  Partitions partitions_;
  bool unequal_ = false;
};

}  // namespace penstock
