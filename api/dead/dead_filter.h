// Which records of a dead topic are meant. Pure, except for the reader that it is given.
#pragma once

#include <optional>
#include <set>
#include <string>
#include <string_view>

#include "api/dead/dead_entry.h"
#include "topics/values/result.h"
#include "topics/values/types.h"

namespace penstock {

// Empty members do not filter.
struct DeadFilter {
  std::set<std::string, std::less<>> reasons = {};
  std::string type = {};
  std::string account = {};
  // The time of death, from `from` to before `to`. A record without one does not match.
  std::optional<Time> from = {}, to = {};

  // Adds a reason; fails if there is no such reason.
  [[nodiscard]] Status add_reason(std::string_view reason);
  // The record, read, if it matches.
  [[nodiscard]] std::optional<DeadEntry> match(DeadEntryReader& reader, PartitionId partition,
                                               const LogRecord& record) const;

 private:
  [[nodiscard]] bool matches_letter(const DeadEntry& entry) const;
};

// RFC 3339, or milliseconds since 1970.
[[nodiscard]] Result<Time> parse_dead_time(std::string_view text);

}  // namespace penstock
