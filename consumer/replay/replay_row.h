// What a partition remembers of a replay, as one row (state/rows/keys.h has the key).
//
//   row := version:u8 = 1, flags:u8, next:varint, counts, resumes:varint, base_ended:varint,
//          base_dead:varint, started_at:i64
//   flags  := bits: 1 the range was read, 2 the replay was cancelled
//   counts := scanned matched left_out* admitted sent forwarded received ended*, each a varint
//
// Values.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "consumer/replay/replay_record.h"
#include "topics/values/result.h"

namespace penstock {

struct ReplayRow {
  Offset next{0};          // of the source, the record to look at next
  bool read = false;       // the range was read
  bool cancelled = false;  // its copies end instead of starting
  ReplayCounts counts;
  Time started_at{};  // of the replay: another one of the name begins anew; zero: not known yet
  // Since the replay was last resumed: what had ended by then does not pause it again.
  std::uint64_t resumes = 0;
  std::int64_t base_ended = 0, base_dead = 0;

  [[nodiscard]] std::string encode() const;
  [[nodiscard]] static Result<ReplayRow> decode(std::string_view bytes);
  friend bool operator==(const ReplayRow&, const ReplayRow&) = default;
};

}  // namespace penstock
