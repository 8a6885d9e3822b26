// A handler as text, as in `work --handler TYPE=SPEC`. Pure functions, which may be called from any
// thread.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "consumer/policy/policy.h"
#include "topics/values/result.h"

namespace penstock {

inline constexpr int kMaxChildren = 1'000;

// SPEC is http(s)://..., exec:/path arg..., noop, sleep:50ms or fail:0.1 (a probability).
[[nodiscard]] Result<HandlerSpec> parse_handler_spec(std::string_view text);

// Rules shared with the config file: an argv begins with an absolute path; a URL has a host.
[[nodiscard]] bool is_handler_url(std::string_view url);
// The URL for messages, without possible secrets: user name, password and query.
[[nodiscard]] std::string shown_url(std::string_view url);
[[nodiscard]] bool is_handler_argv(const std::vector<std::string>& argv);

}  // namespace penstock
