#include "cli/produce/services.h"

#include <memory>

#include "cli/produce/cli_producer.h"
#include "cli/produce/producer_sender.h"
#include "topics/kafka/kafka_log.h"

namespace penstock {
namespace {

Result<std::unique_ptr<Log>> open_log(const Config& config) { return open_kafka(config.kafka); }

Result<std::unique_ptr<CommandSender>> open_sender(const Config& config) {
  auto producer = open_cli_producer(config, SendPattern::kFew);
  if (!producer) return tl::unexpected(producer.error());
  return make_producer_sender(*std::move(producer));
}

Result<KafkaInspection> inspect(const Config& config, const std::vector<std::string>& groups) {
  return inspect_kafka(config.kafka, groups);
}

}  // namespace

Services kafka_services() {
  return {.open_log = open_log, .open_sender = open_sender, .inspect = inspect};
}

}  // namespace penstock
