// Reads a queue's dead topic, partition by partition and in offset order, up to what was there when
// it began. A record that a crash has put there twice is passed on once.
//
// read_dead() blocks and opens a session of its own; it may be called from any thread.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "api/dead/dead_filter.h"
#include "topics/log.h"
#include "topics/values/result.h"

namespace penstock {

// Where a list continues. As text: "<partition>-<offset>".
struct DeadPosition {
  PartitionId partition = 0;
  Offset next;

  [[nodiscard]] std::string text() const;
  [[nodiscard]] static std::optional<DeadPosition> parse(std::string_view text);
};

// At each of these, the reading ends.
struct DeadBounds {
  std::size_t matches = SIZE_MAX;
  std::size_t scanned = SIZE_MAX;
  std::optional<std::chrono::milliseconds> time = {};
};

struct DeadPage {
  std::optional<DeadPosition> after;  // there may be more from here on; empty: there is no more
  std::uint64_t matches = 0;
  std::uint64_t removed = 0;  // by retention, while it was being read
};

// The copies of a record are at most this far apart in their partition, as their owner sent them
// again after a crash: copies further apart count as two records.
inline constexpr std::size_t kMaxRememberedMessages = 20'000;
// A later page looks at this many records before its first one, whose copies it must not repeat.
inline constexpr std::int64_t kDeadLookBack = 1'000;
// How much a worker's clock may be behind that of the dead topic's timestamps.
inline constexpr Duration kMaxClockError = std::chrono::hours(1);

// An error ends the reading and becomes its result.
using OnDead = std::function<Status(const DeadEntry& entry)>;

[[nodiscard]] Result<DeadPage> read_dead(Log& log, const std::string& dead_topic,
                                         const DeadFilter& filter,
                                         const std::optional<DeadPosition>& after,
                                         const DeadBounds& bounds, const OnDead& on_dead,
                                         const std::function<bool()>& stopped = {});

}  // namespace penstock
