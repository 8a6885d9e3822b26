// What `enqueue` prints about a job. Pure.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>

#include "penstock/producer.h"

namespace penstock {

// {"id","queue","account","partition","offset"}; the offset is null if Kafka did not report it.
[[nodiscard]] nlohmann::ordered_json enqueue_json(std::string_view queue, std::string_view account,
                                                  const Sent& sent);
// One line that names the member at fault.
[[nodiscard]] std::string failure_text(const Failure& failure);

}  // namespace penstock
