// How a queue is shown that a worker has described (GET /v1/queues/{q}). Pure.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "cli/program/table.h"

namespace penstock {

[[nodiscard]] std::vector<std::string> queue_titles();
[[nodiscard]] std::vector<Cell> queue_row(const nlohmann::ordered_json& queue);
// One of `rates`, "-" if the worker does not give it.
[[nodiscard]] std::string rate_of(const nlohmann::ordered_json& queue, const char* name);
// What its jobs wait for, the most frequent first.
[[nodiscard]] std::string waiting_of(const nlohmann::ordered_json& queue);

}  // namespace penstock
