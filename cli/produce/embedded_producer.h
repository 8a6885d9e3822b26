// A Producer that sends to a log of this process instead of Kafka.
#pragma once

#include <memory>
#include <string>

#include "penstock/producer.h"
#include "topics/log.h"
#include "topics/values/result.h"

namespace penstock {

// `log` must outlive the producer.
[[nodiscard]] Result<std::unique_ptr<Producer>> open_embedded_producer(Log& log,
                                                                       const std::string& prefix);

}  // namespace penstock
