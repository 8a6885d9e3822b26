// What operators have set at run time, as the records of the control topic tell it: overrides of
// limits, pauses, and upgrades that are finished. The topic is compacted, so each record is the
// whole of what its key is set to:
//
//   key    := "limit/" name                    as filled in (webhook/acme), or as written
//                                              (webhook/{account})
//           | "pause/" queue
//           | "pause/" queue "/type/" type
//           | "pause/" queue "/account/" account
//           | "format/" queue
//   value  := nothing (a tombstone): what the configuration says
//           | limit: {"slots": n} | {"rate": "100/s", "burst": n} | both
//           | pause: {"since": milliseconds, "by": text}
//           | format: {"format": n}
//
// A value type: workers read the topic from its start, so that nothing is set that they do not
// know.
#pragma once

#include <absl/container/flat_hash_map.h>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "consumer/policy/limit_policy.h"
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

// What is in force: slots and rate each as they were set, and as configured where they were not.
[[nodiscard]] LimitOverride set_over(const LimitOverride& configured,
                                     const std::optional<LimitOverride>& set);

struct Pause {
  Time since{};
  std::string by = {};
};

// What is paused: a queue, or of it a type or an account.
struct PauseTarget {
  std::string queue;
  std::string type = {};
  std::string account = {};
};

// Refuses a type and an account together, and names that no type or account can have. An empty one
// is none.
[[nodiscard]] Status check_pause_target(const PauseTarget& target);

// Of a limit's name as an operator gives it.
inline constexpr std::size_t kMaxSetLimitNameBytes = 1024;
[[nodiscard]] Status check_set_limit_name(std::string_view name);

class Control {
 public:
  // What a record sets. One that says nothing that this version knows is refused, and changes
  // nothing.
  [[nodiscard]] Status apply(std::string_view key, std::optional<std::string_view> value);

  [[nodiscard]] bool has_pauses() const { return !pauses_.empty(); }
  [[nodiscard]] const Pause* pause(std::string_view key) const;
  // What is set of a limit, slots and rate each: by its name as filled in, or else as written.
  // Nothing: neither is set.
  [[nodiscard]] std::optional<LimitOverride> limit(std::string_view filled,
                                                   std::string_view written) const;

  // The newest format of its state that all workers of the queue know
  // (state/store/state_format.h), as far as an operator has said so; 0: nobody has.
  [[nodiscard]] std::uint32_t finished_format(std::string_view queue) const;

  template <typename Function>
  void each_limit(Function function) const {
    for (const auto& [name, override_] : limits_) function(name, override_);
  }
  template <typename Function>
  void each_pause(Function function) const {
    for (const auto& [key, pause] : pauses_) function(key, pause);
  }

 private:
  absl::flat_hash_map<std::string, LimitOverride, TextHash, TextEqual> limits_;
  absl::flat_hash_map<std::string, Pause, TextHash, TextEqual> pauses_;
  absl::flat_hash_map<std::string, std::uint32_t, TextHash, TextEqual> finished_formats_;
};

// Keys and values of the control topic's records.
[[nodiscard]] std::string limit_key(std::string_view name);
[[nodiscard]] std::string pause_key(const PauseTarget& target);
[[nodiscard]] Result<PauseTarget> parse_pause_key(std::string_view key);
[[nodiscard]] std::string to_json(const LimitOverride& override_);
[[nodiscard]] std::string to_json(const Pause& pause);
[[nodiscard]] std::string format_key(std::string_view queue);
[[nodiscard]] std::string format_json(std::uint32_t format);
// {"slots": n}, {"rate": "100/s", "burst": n} or both; the message names the member at fault, and
// its JSON pointer is put into `at_fault` (empty: the whole).
[[nodiscard]] Result<LimitOverride> parse_limit_override(std::string_view json,
                                                         std::string* at_fault = nullptr);

}  // namespace penstock
