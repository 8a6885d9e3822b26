#include "cli/services.h"

#include "topics/kafka/kafka_log.h"

namespace penstock {

Services kafka_services() {
  return {[](const Config& config) { return open_kafka(config.kafka); },
          [](const Config&) -> Result<std::unique_ptr<CommandSender>> {
            return failure("commands cannot be sent in this build");
          }};
}

}  // namespace penstock
