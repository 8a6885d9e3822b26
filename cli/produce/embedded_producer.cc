#include "cli/produce/embedded_producer.h"

#include <utility>

#include "producer/job_sender.h"
#include "topics/embedded/produce_client.h"

namespace penstock {

Result<std::unique_ptr<Producer>> open_embedded_producer(Log& log, const std::string& prefix) {
  auto client = open_embedded_produce_client(log);
  if (!client) return tl::unexpected(client.error());
  JobSenderOptions options;
  options.prefix = prefix;
  auto sender = std::make_unique<JobSender>(*std::move(client), std::move(options));
  return std::make_unique<Producer>(std::move(sender));
}

}  // namespace penstock
