// The job record of a copy: that of its original with another id, without the bulk, and at a time
// that has come, unless it lies in the future. Pure.
#pragma once

#include <string>
#include <string_view>

#include "topics/record/job_record.h"
#include "topics/values/types.h"

namespace penstock {

// What the record of a copy may exceed kMaxValueBytes by, because of its id.
static_assert(kMaxDerivedRoomBytes >= kMaxDerivedIdBytes * 6 + 64);

// Into `out`, whose memory it uses again.
void write_copy_record(std::string& out, const JobRecord& original, std::string_view id,
                       bool keep_expiry, Time now);

// {"id": replay, "of": id, "source": place}: what the copy's handler is told. Into `out`.
void write_copy_origin(std::string& out, std::string_view replay, std::string_view of,
                       std::string_view source);
// Whether a record with this id and origin is a copy. Anybody can give a record the headers of one.
[[nodiscard]] bool is_copy_record(std::string_view id, std::string_view origin);
// A member of such an object; empty if it has none.
[[nodiscard]] std::string copy_origin_member(std::string_view origin, std::string_view name);

}  // namespace penstock
