// The filters that select jobs, of a list's query or of an action's body. Pure.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "api/request/problem.h"
#include "api/source/source.h"

namespace penstock {

// The filters' names: state, type, account, bulk, error, id, from, to.
[[nodiscard]] const std::vector<std::string>& job_filters();

// Sets one of them; a problem of status 400 if the value is not valid. An empty value does not
// filter. `member`: what is named as at fault.
[[nodiscard]] std::optional<Problem> set_filter(JobQuery& query, std::string_view name,
                                                const std::string& value, std::string member);

}  // namespace penstock
