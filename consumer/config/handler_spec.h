// A handler on one line, as `work --handler TYPE=SPEC` takes it. A pure function, safe from any
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

// The rules that the config file shares. An argv has an absolute path first; a URL has a host.
[[nodiscard]] bool is_handler_url(std::string_view url);
// For messages: without what may be a secret, the user's name and password and the query.
[[nodiscard]] std::string shown_url(std::string_view url);
[[nodiscard]] bool is_handler_argv(const std::vector<std::string>& argv);

}  // namespace penstock
