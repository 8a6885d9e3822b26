// Reads the jobs of an answer's `enqueue` as text. They are not rewritten, and the decoder of all
// records (topics/record/job_record.h) checks them when they are produced. Pure.
#pragma once

#include <cstddef>
#include <vector>

#include "consumer/job/handler.h"
#include "topics/json/json_document.h"
#include "topics/values/result.h"

namespace penstock {

inline constexpr std::size_t kMaxFollowUps = 10'000;

// `list` is the value of the member `enqueue`. Call it only once per parse, because each string may
// be read only once.
[[nodiscard]] Result<std::vector<FollowUp>> read_follow_ups(JsonDocument& document, JsonToken list);

// Such as "enqueue is 7, expected an array of jobs".
[[nodiscard]] Error unfit_value(const std::string& where, std::string_view found,
                                std::string_view expected);

}  // namespace penstock
