// The ids of jobs that a job enqueues without an id: its own id and an ending that tells them
// apart, as `<id>/<n>`. If that is longer than an id may be, the id's first bytes, "~" and its
// digest stand for the id, so each job in a chain of follow-up jobs has an id of its own, however
// long the chain. Pure.
#pragma once

#include <string>
#include <string_view>

namespace penstock {

// `ending` is short: "/" and a number, or a word.
[[nodiscard]] std::string derived_id(std::string_view id, std::string_view ending);

}  // namespace penstock
