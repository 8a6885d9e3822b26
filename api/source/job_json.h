// Jobs and their states as the contract writes them. Pure.
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string_view>

#include "api/source/source.h"

namespace penstock {

// {"id","queue","type","account","state","attempt","max_attempts","run_at","created","started","reason","why"},
// null where there is none; and "progress": {"n","total"} where the handler has said so, and
// "snoozes" where there are any: so many in a row.
[[nodiscard]] nlohmann::ordered_json job_json(const ShownJob& job);

// {"id","queue","account","size","admitted","waiting","running","succeeded","dead","cancelled","expired",
// "first","last","done","estimated_end"}, null where there is none.
[[nodiscard]] nlohmann::ordered_json bulk_json(const ShownBulk& bulk, const std::string& queue);

// "ready", "running" and so on; nothing for another word.
[[nodiscard]] std::optional<JobState> job_state_of(std::string_view word);
inline constexpr std::string_view kJobStates =
    "scheduled, ready, waiting, running, retrying, succeeded, dead, cancelled, duplicate, expired";

}  // namespace penstock
