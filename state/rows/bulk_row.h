// What a partition remembers of a bulk: how many of its chunks have been admitted, and how they
// ended (state/rows/keys.h has the key).
//
//   row := version:u8 = 1,
//          size:varint, admitted:varint, succeeded:varint, dead:varint, cancelled:varint,
//          expired:varint,
//          first_seq:varint,
//          first_at:i64, last_at:i64, first_end:i64, last_end:i64, done_at:i64,
//          on_done_bytes:varint, rows_until:i64
//
// Times are in milliseconds; 0: none.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "state/rows/job_seq.h"
#include "topics/values/result.h"
#include "topics/values/types.h"

namespace penstock {

struct BulkRow {
  std::uint64_t size = 0;      // as stated by its first chunk
  std::uint64_t admitted = 0;  // chunks, each index once
  std::uint64_t succeeded = 0, dead = 0, cancelled = 0, expired = 0;
  JobSeq first_seq;  // of the first chunk: earlier jobs belong to an earlier bulk with this id
  Time first_at{};   // the first and the last admission
  Time last_at{};
  Time first_end{};
  Time last_end{};
  Time done_at{};                   // when all had ended; on_done was produced with it
  std::uint64_t on_done_bytes = 0;  // size of the job to produce then; 0: none
  Time rows_until{};                // until then, ended chunks are kept, and their ids are taken

  [[nodiscard]] std::uint64_t ended() const { return succeeded + dead + cancelled + expired; }
  [[nodiscard]] std::uint64_t live() const { return admitted - ended(); }
  [[nodiscard]] bool has_on_done() const { return on_done_bytes > 0; }
  [[nodiscard]] bool done() const { return done_at != Time{}; }
  // When the bulk will end if its chunks go on ending at the present rate; zero: not known yet, or
  // it has ended.
  [[nodiscard]] Time estimated_end(Time now) const;

  [[nodiscard]] std::string encode() const;
  [[nodiscard]] static Result<BulkRow> decode(std::string_view bytes);
};

}  // namespace penstock
