// A config as JSON in the form of the config file, with every default written out and every secret
// left out. Read as a config file, it means the same (except for handlers that are not written in
// files, and for secrets). Pure.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "consumer/config/config.h"

namespace penstock {

[[nodiscard]] nlohmann::ordered_json config_json(const Config& config);

}  // namespace penstock
