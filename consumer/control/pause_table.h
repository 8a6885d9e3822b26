// Everything that operators have paused: what `penstock pauses` and GET /v1/pauses show. Pure.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <vector>

#include "consumer/control/control.h"

namespace penstock {

struct PauseEntry {
  PauseTarget target;
  Pause pause;
};

// By queue; of each the queue itself first, then accounts, then types.
[[nodiscard]] std::vector<PauseEntry> pause_table(const Control& control);
// {"queue","type","account","since","by"}, null where there is none.
[[nodiscard]] nlohmann::ordered_json pause_json(const PauseEntry& entry);

}  // namespace penstock
