// Who holds the lock of a unique key, as one row (state/rows/keys.h says under which key).
//
//   row    := version:u8 = 1, count:varint, holder*
//   holder := seq:varint, until:i64, id:text
//   text   := length:varint bytes
//
// A holder is a job: its id, and its seq (state/rows/job_seq.h), which tells it from an earlier or
// later job with that id. It holds until the job lets go, or (`until`, in milliseconds, above 0)
// until that time, whatever becomes of the job. The order is that in which they came.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "state/rows/job_seq.h"
#include "topics/values/result.h"
#include "topics/values/types.h"

namespace penstock {

struct UniqueRow {
  struct Holder {
    JobSeq seq;
    Time until{};  // zero: until the job lets go
    std::string id;
    friend bool operator==(const Holder&, const Holder&) = default;
  };
  std::vector<Holder> holders;

  [[nodiscard]] std::string encode() const;
  [[nodiscard]] static Result<UniqueRow> decode(std::string_view bytes);
};

}  // namespace penstock
