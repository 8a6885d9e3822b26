// Which offsets a replay reads: resolved once, when it starts, so that every owner reads the same
// records. Blocks; may be called from any thread.
#pragma once

#include <cstdint>
#include <string>
#include <tl/expected.hpp>
#include <vector>

#include "consumer/replay/replay_record.h"
#include "topics/log.h"

namespace penstock {

struct ReplayRanges {
  std::vector<ReplayRange> ranges;  // by partition
  std::int64_t removed = 0;         // records that were asked for and that retention has removed
  Time oldest{};                    // of what is left where some were; zero: nothing was removed
};

struct RangesError {
  std::string message;
  bool is_of_terms = false;  // the topic has no such partition; otherwise, the log does not answer
};
using RangesAnswer = tl::expected<ReplayRanges, RangesError>;

// Of the topic as it is now. With times, what was removed is counted from the beginning of the topic
// where its oldest record is later than `from`: Kafka does not say when the removed ones were
// written.
[[nodiscard]] RangesAnswer resolve_ranges(Log& log, const std::string& topic,
                                          const ReplayTerms& terms);

}  // namespace penstock
