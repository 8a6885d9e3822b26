#include "cli/produce/cli_producer.h"

#include <iostream>

#include "cli/program/output.h"

namespace penstock {

Result<std::unique_ptr<Producer>> open_cli_producer(const Config& config, SendPattern pattern) {
  ProducerOptions options{.prefix = config.prefix, .properties = config.kafka};
  // The command waits for each answer, so waiting for more records to send would only delay it.
  if (pattern == SendPattern::kFew) options.properties.try_emplace("linger.ms", "0");
  // Called on the producer's thread; several threads may write to std::cerr.
  options.on_trouble = [told = false](std::string_view detail) mutable {
    if (std::exchange(told, true)) return;
    std::cerr << "penstock: Kafka: " + printable(detail) + "; still trying\n";
  };
  try {
    return std::make_unique<Producer>(std::move(options));
  } catch (const ProducerError& error) {
    return failure(error.what());
  }
}

}  // namespace penstock
