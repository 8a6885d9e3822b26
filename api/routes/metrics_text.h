// The worker's metrics in Prometheus' text format. Pure. No type of prometheus-cpp appears here.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "api/source/source.h"

namespace penstock {

inline constexpr const char* kMetricsType = "text/plain; version=0.0.4; charset=utf-8";

[[nodiscard]] std::string metrics_text(const std::vector<QueueStatus>& queues, bool ready,
                                       std::string_view version);

}  // namespace penstock
