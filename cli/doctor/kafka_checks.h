// What `penstock doctor` looks at in Kafka. Each check returns at least one finding, and blocks for
// a bounded time.
#pragma once

#include <chrono>

#include "cli/doctor/finding.h"
#include "consumer/config/config.h"
#include "topics/kafka/kafka_inspection.h"
#include "topics/log.h"

namespace penstock {

// How many brokers there are, and what they support. Pure.
[[nodiscard]] Findings check_brokers(const KafkaInspection& found);
// Whether workers run the queues. Pure.
[[nodiscard]] Findings check_groups(const Config& config, const KafkaInspection& found);

[[nodiscard]] Findings check_topics_of(const Config& config, Log& log);
// Compares this machine's clock with the brokers', which put their time on the records of the state
// topics: whether there are records from the future and, where workers run, recent ones.
[[nodiscard]] Findings check_clock(const Config& config, Log& log, const KafkaInspection& found,
                                   Time now);

}  // namespace penstock
