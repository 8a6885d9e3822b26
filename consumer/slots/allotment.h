// How the slots of one shared limit are allotted to partitions: whole slots, by max-min fairness
// over what the partitions have use for (docs/limits.md, "Shared limits").
//
// What always holds: the largest numbers that the partitions may still use, over the targets that
// none of their reports has superseded, never exceed the limit together, or what they were together
// when it was lowered. A slot goes elsewhere only when it has been given back. Where partitions say
// different things of the limit, the strictest of those that have use for it holds.
//
// A partition knows of how many its slots were when it was told, and keeps to its part of a lower
// number by itself. The largest parts (slots by what they were of) that the partitions may still
// follow never come to more than the whole, or than before: so whatever the limit is set to, in
// whatever order and whoever has heard of it, their parts stay below it together. Everybody is told
// anew when the number has changed: at once what is no greater part than it has, and more when
// others have answered that they follow a smaller one.
//
//   bytes   := "2" count:varint said* last:varint first:holder count:varint partition*
//   said    := written:text limit:text
//   partition := holder demand:varint said:varint targets:varint target*
//   holder  := queue:text partition:u32
//   target  := version:u64 slots:varint of:varint
//
// `last` and `said` are 1 and the index of a said, or 0. What begins with "1" is of an earlier
// version: written:text limit:text first:holder count:varint (holder demand:varint targets:varint
// (version:u64 slots:varint)*)*
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
  // A partition that has not answered so many targets is told nothing more until it does.
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
  // The targets that change now, where `limit` slots are to be had. `pass_turn`: where not all can
  // have the same, those who have less are first from now on.
  [[nodiscard]] std::vector<Change> allot(int limit, bool pass_turn);
  // Somebody has less than another who needs no more than that: a turn is to be passed, in a while.
  [[nodiscard]] bool unequal() const { return unequal_; }
  // Every target has been answered.
  [[nodiscard]] bool settled() const;
  // Nothing is left of it that a new one would not have.
  [[nodiscard]] bool unused() const;

  // What the configuration says, by those that have use for it, or else as it was told last; of no
  // slots until it has been told. At least one.
  [[nodiscard]] std::vector<SaidLimit> said() const;
  // What the partitions may use together at most, now.
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
    // The largest part of the limit that it may still follow; of what is not known: all.
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
  SlotHolder first_;                  // who is first where not all can have the same
  Partitions partitions_;
  bool unequal_ = false;
};

}  // namespace penstock
