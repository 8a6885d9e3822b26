#include "cli/produce/cli_producer.h"

#include <iostream>

#include "cli/program/output.h"

namespace penstock {

Result<std::unique_ptr<Producer>> open_cli_producer(const Config& config, SendPattern pattern) {
  ProducerOptions options{.prefix = config.prefix, .properties = config.kafka};
  if (pattern == SendPattern::kFew) options.properties.try_emplace("linger.ms", "0");
  // Told on the producer's thread, and std::cerr may be written to by several.
  options.on_trouble = [told = false](std::string_view detail) mutable {
    if (std::exchange(told, true)) return;
    std::cerr << "penstock: Kafka: " + printable(detail) + "; trying on\n";
  };
  try {
    return std::make_unique<Producer>(std::move(options));
  } catch (const ProducerError& error) {
    return failure(error.what());
  }
}

}  // namespace penstock
