// The position at which a list of jobs continues, as given to its reader: opaque letters and
// digits. A value.
//
//   position := "1-" partition "-" hex of a key that JobWalk::walk returned
//                                  (or Queries::walk_bulks, for a list of bulks)
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "consumer/task/task.h"
#include "topics/values/types.h"

namespace penstock {

struct ListPosition {
  PartitionId partition = 0;
  std::string key;  // empty: the partition's start

  [[nodiscard]] std::string text() const;
  // Empty if the text is not a position.
  using IsKey = bool (*)(std::string_view key);
  [[nodiscard]] static std::optional<ListPosition> parse(std::string_view text,
                                                         IsKey is_key = JobWalk::is_key);
};

}  // namespace penstock
