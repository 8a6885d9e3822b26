// Jobs, bulks and their states in the JSON form of docs/http.md. Pure.
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string_view>

#include "api/source/source.h"

namespace penstock {

// {"id","queue","type","account","state","attempt","max_attempts","run_at","created","started",
// "reason","why"}, null where there is no value; plus "progress": {"n","total"} if the handler has
// reported any, and "snoozes", the number of snoozes in a row, unless 0; and "waits_for" and
// "blocked_by", what `why` says as words. With its detail, also "args", "meta", "unique_key",
// "headers", "cursor", "bulk", "priority", "weight", "expires_at", "ended" and "replay".
[[nodiscard]] nlohmann::ordered_json job_json(const ShownJob& job);

// {"id","queue","account","size","admitted","waiting","running","succeeded","dead","cancelled",
// "expired","first","last","done","estimated_end"}, null where there is no value.
[[nodiscard]] nlohmann::ordered_json bulk_json(const ShownBulk& bulk, const std::string& queue);

// Such as "ready" or "running"; empty for any other word.
[[nodiscard]] std::optional<JobState> job_state_of(std::string_view word);
inline constexpr std::string_view kJobStates =
    "scheduled, ready, waiting, running, retrying, succeeded, dead, cancelled, duplicate, expired";

}  // namespace penstock
