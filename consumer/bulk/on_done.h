// The job that a bulk produces when all its chunks have ended: its on_done, with the numbers in its
// args as member `bulk`. Where it has no id it gets `<bulk>@<seq of its first chunk>/on_done`: a
// later bulk of the same id has another one. Its args and meta stay as they were written. Pure.
#pragma once

#include <string>
#include <string_view>

#include "consumer/bulk/bulks.h"

namespace penstock {

[[nodiscard]] std::string on_done_record(std::string_view account, std::string_view id,
                                         const Bulks::AllEnded& all);

}  // namespace penstock
