// A Producer that sends through a worker's HTTP interface instead of to Kafka: batches of lines to
// POST /v1/queues/{q}/jobs. That takes no headers.
#pragma once

#include <memory>
#include <string>

#include "cli/remote/worker_client.h"
#include "penstock/producer.h"

namespace penstock {

[[nodiscard]] std::unique_ptr<Producer> open_remote_producer(WorkerClient worker,
                                                             const std::string& prefix);

}  // namespace penstock
