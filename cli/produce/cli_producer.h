// The producer that commands send through. It tells of the first trouble with Kafka at once, as a
// job may wait for its acknowledgement for as long as the delivery time-out.
#pragma once

#include <memory>

#include "consumer/config/config.h"
#include "penstock/producer.h"
#include "topics/values/result.h"

namespace penstock {

enum class SendPattern : std::uint8_t {
  kFew,   // sent at once
  kMany,  // gathered into large batches
};

[[nodiscard]] Result<std::unique_ptr<Producer>> open_cli_producer(const Config& config,
                                                                  SendPattern pattern);

}  // namespace penstock
