// What a partition and the owner of a shared limit tell each other. Each message is the sender's
// complete state with a version, not a change, and travels through the outbox, so it arrives once
// and in order.
//
//   report (partition to owner)   a record of the slots topic; key: the limit's name as filled in
//     {"queue": text, "partition": n, "version": n, "demand": n, "keeps": n, said?}
//     said := "written": text, "limit": limit
//   target (owner to partition)   a record of the queue's topic with the header kSlotsHeader; key:
//                                 the same name
//     {"version": n, "slots": n, "of": n}
//
// `limit` is what the configuration says, as in consumer/control/control.h. A partition without
// jobs for the limit omits `said`. Values; pure, safe from any thread.
#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "consumer/control/control.h"
#include "topics/record/own_headers.h"
#include "topics/values/result.h"
#include "topics/values/types.h"

namespace penstock {

// A limit that has only a rate has no slots to allot: its partitions are allotted parts of the
// rate, of which there are this many.
inline constexpr int kRateParts = 60;

// A partition of a queue, as the owner of a limit knows it.
struct SlotHolder {
  std::string queue;
  PartitionId partition = 0;
  friend auto operator<=>(const SlotHolder&, const SlotHolder&) = default;
};

// What the configuration says of a limit.
struct SaidLimit {
  std::string written = {};  // the limit's name as it stands there
  LimitOverride limit = {};

  friend bool operator==(const SaidLimit&, const SaidLimit&) = default;
};

// The partition has taken the target of this version, uses no more than `keeps` from now on (which
// is at most the target's number), and could use `demand`.
struct SlotReport {
  SlotHolder from;
  std::uint64_t version = 0;  // 0: it knows no target
  int demand = 0;
  int keeps = 0;
  std::optional<SaidLimit> said = {};

  friend bool operator==(const SlotReport&, const SlotReport&) = default;
};

// The partition may use `slots` of the limit's `of`; if the limit is lower by now, the same
// fraction of it.
struct SlotTarget {
  std::uint64_t version = 0;
  int slots = 0;
  int of = 0;

  friend bool operator==(const SlotTarget&, const SlotTarget&) = default;
};

[[nodiscard]] std::string to_json(const SlotReport& report);
[[nodiscard]] std::string to_json(const SlotTarget& target);
[[nodiscard]] Result<SlotReport> parse_slot_report(std::string_view json);
[[nodiscard]] Result<SlotTarget> parse_slot_target(std::string_view json);

// The stricter of two limits for one name: the fewer slots, and the slower rate (of equal rates,
// the smaller burst).
[[nodiscard]] LimitOverride stricter(const LimitOverride& a, const LimitOverride& b);

// What `slots` of `of` are worth when there are only `now`: rounded down, so that the parts never
// exceed them together.
[[nodiscard]] inline int slots_of_lowered(int slots, int of, int now) {
  return of <= now ? slots : static_cast<int>(std::int64_t{slots} * now / of);
}

// What is allotted of a limit: its slots, or the parts of its rate.
[[nodiscard]] inline int slots_to_allot(const LimitOverride& limit) {
  return limit.slots.value_or(kRateParts);
}

}  // namespace penstock
