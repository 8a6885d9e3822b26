// Where a list of jobs goes on, as its reader is given it: opaque letters and digits.
//
//   position := "1-" partition "-" hex of a key that Task::walk (or walk_bulks, for a list of
//   bulks) returned
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "consumer/task/task.h"
#include "topics/values/types.h"

namespace penstock {

struct ListPosition {
  PartitionId partition = 0;
  std::string key;  // empty: from the partition's start

  [[nodiscard]] std::string text() const;
  // Nothing when the text is no position.
  using IsKey = bool (*)(std::string_view key);
  [[nodiscard]] static std::optional<ListPosition> parse(std::string_view text,
                                                         IsKey is_key = JobWalk::is_key);
};

}  // namespace penstock
