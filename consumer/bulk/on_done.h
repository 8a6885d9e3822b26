// The job that a bulk produces when all of its chunks have ended: its on_done, with the counts
// added to its args as the member `bulk`. If it has no id, it gets `<bulk>@<seq of its first
// chunk>/on_done`, so a later bulk of the same id produces another one. Its args and meta stay as
// they were written. Pure.
#pragma once

#include <string>
#include <string_view>

#include "consumer/bulk/bulks.h"

namespace penstock {

[[nodiscard]] std::string on_done_record(std::string_view account, std::string_view id,
                                         const Bulks::AllEnded& all);

}  // namespace penstock
