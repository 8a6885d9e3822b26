// What operators have set at run time, as read from the control topic: limit overrides, pauses,
// replays, and upgrades that are finished. The topic is compacted, so each record contains
// everything that is set for its key:
//
//   key    := "limit/" name         as filled in (webhook/acme), or as written (webhook/{account})
//           | "pause/" queue
//           | "pause/" queue "/type/" type
//           | "pause/" queue "/account/" account
//           | "format/" queue
//           | "replay/" queue "/" name
//           | "replay/" queue "/" name "/" partition
//           | "replay/" queue "/" name "/" partition "/pause"
//   value  := nothing (a tombstone): what the configuration says
//           | limit: {"slots": n} | {"rate": "100/s", "burst": n} | both
//           | pause: {"since": milliseconds, "by": text}
//           | format: {"format": n}
//           | replay: its record, and with a partition what that partition reports of it, or why
//             it pauses it (consumer/replay/replay_record.h)
//
// A value type that belongs to one thread. Workers read the topic from its start, so they know of
// everything that is set.
#pragma once

#include <absl/container/btree_map.h>
#include <absl/container/flat_hash_map.h>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "consumer/policy/limit_policy.h"
#include "consumer/replay/replay_record.h"
#include "topics/values/result.h"
#include "topics/values/text_hash.h"
#include "topics/values/types.h"

namespace penstock {

struct LimitOverride {
  std::optional<int> slots = {};
  std::optional<Rate> rate = {};
  int burst = 1;

  friend bool operator==(const LimitOverride&, const LimitOverride&) = default;
};

// What is in force: slots and rate each as set or, if not set, as configured.
[[nodiscard]] LimitOverride set_over(const LimitOverride& configured,
                                     const std::optional<LimitOverride>& set);

struct Pause {
  Time since{};
  std::string by = {};
};

// What is paused: a queue, or one of its types or accounts.
struct PauseTarget {
  std::string queue;
  std::string type = {};
  std::string account = {};
};

// Refuses a target with both a type and an account, and names that no type or account can have. An
// empty name means none.
[[nodiscard]] Status check_pause_target(const PauseTarget& target);

// For a limit's name as given by an operator.
inline constexpr std::size_t kMaxSetLimitNameBytes = 1024;
[[nodiscard]] Status check_set_limit_name(std::string_view name);

// A replay of a queue.
struct ReplayTarget {
  std::string queue;
  std::string name;
  friend auto operator<=>(const ReplayTarget&, const ReplayTarget&) = default;
};

class Control {
 public:
  // By partition; absent: it has reported nothing.
  using ReplayReports = std::vector<std::optional<ReplayProgress>>;

  // Applies a record. A record that this version does not understand is refused and changes
  // nothing.
  [[nodiscard]] Status apply(std::string_view key, std::optional<std::string_view> value);

  [[nodiscard]] bool has_pauses() const { return !pauses_.empty(); }
  [[nodiscard]] const Pause* pause(std::string_view key) const;
  // The override of a limit: slots and rate are each looked up first by the name as filled in, then
  // by the name as written. Empty if neither is set.
  [[nodiscard]] std::optional<LimitOverride> limit(std::string_view filled,
                                                   std::string_view written) const;

  // The newest format of its state that all workers of the queue know
  // (state/store/state_format.h), as far as an operator has said so; 0: nobody has.
  [[nodiscard]] std::uint32_t finished_format(std::string_view queue) const;

  // As operators have said; partitions may have paused it.
  [[nodiscard]] const ReplayRecord* replay(const ReplayTarget& target) const;
  [[nodiscard]] const ReplayPauses& replay_pauses(const ReplayTarget& target) const;
  // Whether a replay of the queue has a concurrency.
  [[nodiscard]] bool limits_replays(std::string_view queue) const;
  // Empty if no partition has reported anything.
  [[nodiscard]] const ReplayReports& replay_reports(const ReplayTarget& target) const;

  // In the order of queues and names.
  template <typename Function>
  void each_replay(Function function) const {
    for (const auto& [target, record] : replays_) function(target, record);
  }
  template <typename Function>
  void each_limit(Function function) const {
    for (const auto& [name, override_] : limits_) function(name, override_);
  }
  template <typename Function>
  void each_pause(Function function) const {
    for (const auto& [key, pause] : pauses_) function(key, pause);
  }

 private:
  [[nodiscard]] Status apply_replay(std::string_view key, std::optional<std::string_view> value);

  absl::flat_hash_map<std::string, LimitOverride, TextHash, TextEqual> limits_;
  absl::flat_hash_map<std::string, Pause, TextHash, TextEqual> pauses_;
  absl::flat_hash_map<std::string, std::uint32_t, TextHash, TextEqual> finished_formats_;
  absl::btree_map<ReplayTarget, ReplayRecord> replays_;
  absl::btree_map<ReplayTarget, ReplayReports> replay_reports_;
  absl::btree_map<ReplayTarget, ReplayPauses> replay_pauses_;
};

// Keys and values of the control topic's records.
[[nodiscard]] std::string limit_key(std::string_view name);
[[nodiscard]] std::string pause_key(const PauseTarget& target);
[[nodiscard]] Result<PauseTarget> parse_pause_key(std::string_view key);
[[nodiscard]] std::string to_json(const LimitOverride& override_);
[[nodiscard]] std::string to_json(const Pause& pause);
[[nodiscard]] std::string format_key(std::string_view queue);
[[nodiscard]] std::string format_json(std::uint32_t format);
[[nodiscard]] std::string replay_key(const ReplayTarget& target);
[[nodiscard]] std::string replay_report_key(const ReplayTarget& target, PartitionId partition);
[[nodiscard]] std::string replay_pause_key(const ReplayTarget& target, PartitionId partition);
// Whether this is the key of a partition's report, of which there are many: loops need none of them.
[[nodiscard]] bool is_replay_report_key(std::string_view key);
// Parses {"slots": n}, {"rate": "100/s", "burst": n} or both. The error names the member at fault
// and puts its JSON pointer into `at_fault` (empty: the whole text).
[[nodiscard]] Result<LimitOverride> parse_limit_override(std::string_view json,
                                                         std::string* at_fault = nullptr);

}  // namespace penstock
