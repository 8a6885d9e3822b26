// Everything that operators have paused, as shown by `penstock pauses` and GET /v1/pauses. Pure.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <vector>

#include "consumer/control/control.h"

namespace penstock {

struct PauseEntry {
  PauseTarget target;
  Pause pause;
};

// Sorted by queue; for each queue first the queue itself, then its accounts, then its types.
[[nodiscard]] std::vector<PauseEntry> pause_table(const Control& control);
// {"queue","type","account","since","by"}; absent values are null.
[[nodiscard]] nlohmann::ordered_json pause_json(const PauseEntry& entry);

}  // namespace penstock
