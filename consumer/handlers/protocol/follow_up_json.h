// The jobs that an answer asks for (`enqueue`), as they stand in its text: what a handler has
// written is checked where it is produced, by the decoder of all records (topics/record/job_record.h), and
// not rewritten on the way there. Pure.
#pragma once

#include <cstddef>
#include <vector>

#include "consumer/job/handler.h"
#include "topics/json/json_document.h"
#include "topics/values/result.h"

namespace penstock {

inline constexpr std::size_t kMaxFollowUps = 10'000;

// `list` is the value of the member `enqueue`. Its strings are read once: call it once a parse.
[[nodiscard]] Result<std::vector<FollowUp>> read_follow_ups(JsonDocument& document, JsonToken list);

// "enqueue is 7, expected an array of jobs"
[[nodiscard]] Error unfit_value(const std::string& where, std::string_view found,
                                std::string_view expected);

}  // namespace penstock
