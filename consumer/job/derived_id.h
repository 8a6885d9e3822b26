// The ids of jobs that a job asks for without naming them (docs/job-record.md, "Identity"): its own
// id and what tells them apart, `<id>/<n>`. Where that is longer than an id may be, the id's first
// bytes, "~", and its digest stand for the id: each of a chain of follow-ups has an id of its own,
// however long the chain. Pure.
#pragma once

#include <string>
#include <string_view>

namespace penstock {

// `ending` is short: "/" and a number, or a word.
[[nodiscard]] std::string derived_id(std::string_view id, std::string_view ending);

}  // namespace penstock
