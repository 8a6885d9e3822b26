// Times as users write them in options of the jobs commands. Pure.
#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <string>

#include "topics/values/result.h"
#include "topics/values/types.h"

namespace penstock {

// Milliseconds since 1970, from RFC 3339 or from such a number.
[[nodiscard]] Result<std::int64_t> moment_ms(const std::string& text);
// The same; an age such as 2h counts back from `now`.
[[nodiscard]] Result<std::int64_t> past_moment_ms(const std::string& text, Time now);

// For an option: turns such a time into milliseconds when it is parsed.
[[nodiscard]] CLI::Validator as_past_moment();

}  // namespace penstock
