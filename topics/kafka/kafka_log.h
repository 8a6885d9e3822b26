// The log on a Kafka cluster. The only header of this folder that others include.
#pragma once

#include <map>
#include <memory>
#include <string>

#include "topics/log.h"

namespace penstock {

// `properties` are librdkafka's and go to every client (bootstrap.servers, security...). Those that
// Penstock must control are refused by name. Asks nothing of the brokers yet.
[[nodiscard]] Result<std::unique_ptr<Log>> open_kafka(
    std::map<std::string, std::string> properties);

}  // namespace penstock
