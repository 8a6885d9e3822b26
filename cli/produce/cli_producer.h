// The producer through which commands send. It reports the first trouble with Kafka at once,
// because a job can wait for its acknowledgement for the whole delivery timeout.
#pragma once

#include <memory>

#include "consumer/config/config.h"
#include "penstock/producer.h"
#include "topics/values/result.h"

namespace penstock {

enum class SendPattern : std::uint8_t {
  kFew,   // sent at once
  kMany,  // collected into large batches
};

[[nodiscard]] Result<std::unique_ptr<Producer>> open_cli_producer(const Config& config,
                                                                  SendPattern pattern);

}  // namespace penstock
