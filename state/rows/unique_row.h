// The holders of a unique key's lock, as one row (state/rows/keys.h has the key).
//
//   row    := version:u8 = 1, count:varint, holder*
//   holder := seq:varint, until:i64, id:text
//   text   := length:varint bytes
//
// A holder is a job: its id, and its seq (state/rows/job_seq.h), which distinguishes it from
// earlier and later jobs with that id. It holds the lock until the job releases it or, if `until`
// (in milliseconds) is above 0, until that time, regardless of what happens to the job. The holders
// are in the order in which they came.
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
    Time until{};  // zero: until the job releases the lock
    std::string id;
    friend bool operator==(const Holder&, const Holder&) = default;
  };
  std::vector<Holder> holders;

  [[nodiscard]] std::string encode() const;
  [[nodiscard]] static Result<UniqueRow> decode(std::string_view bytes);
};

}  // namespace penstock
