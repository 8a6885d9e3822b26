#include "api/worker_api.h"

#include <unistd.h>

#include <array>
#include <utility>

#include "consumer/worker/control_client.h"

namespace penstock {
namespace {

// Kafka may withhold an acknowledgement for 12 s when a broker crashes.
constexpr std::chrono::seconds kDeliveryTimeout{30};

WorkerIdentity identity_of(const Runtime& runtime) {
  std::array<char, 256> host{};
  if (::gethostname(host.data(), host.size() - 1) != 0) host[0] = '\0';
  return {.id = runtime.process(),
          .name = host.data(),
          .version = PENSTOCK_VERSION,
          .url = {},
          .started = request_time()};
}

// Each call has a session of its own: calls are rare, and none waits for the loops.
ControlAccess control_access(Runtime& runtime) {
  const auto client = [&runtime] {
    return ControlClient(runtime.log(), runtime.options().config.prefix);
  };
  return {.set = [client](const std::string& key,
                          const auto& value) { return client().set(key, value); },
          .read = [client] { return client().read(); }};
}

}  // namespace

ProducerSink::Make kafka_producer(const Config& config) {
  return [prefix = config.prefix, kafka = config.kafka] {
    ProducerOptions options{
        .prefix = prefix, .properties = kafka, .delivery_timeout = kDeliveryTimeout};
    // A client waits for each acknowledgement, so waiting for more records to send would only delay
    // it.
    options.properties.try_emplace("linger.ms", "0");
    return Producer(std::move(options));
  };
}

WorkerApi::WorkerApi(Runtime& runtime, ProducerSink::Make producer)
    : sink_(std::move(producer)),
      source_({.loops = [&runtime] { return runtime.loops(); },
               .not_ready = [&runtime] { return runtime.not_ready(); },
               .boot = [] { return Clock::boot(); }}),
      routes_(
          source_, sink_, Operations(runtime.options().config, control_access(runtime)),
          {.log = [&runtime]() -> Log& { return runtime.log(); },
           .config = runtime.options().config},
          [&runtime] {
            const Config& config = runtime.options().config;
            return ReplayDesk(runtime.log(), config.prefix, config.queues);
          },
          identity_of(runtime)) {}

Result<std::unique_ptr<WorkerApi>> WorkerApi::start(Runtime& runtime, ProducerSink::Make producer,
                                                    ServerLogs logs) {
  std::unique_ptr<WorkerApi> api(new WorkerApi(runtime, std::move(producer)));
  auto server = Server::start(runtime.options().config.http, api->routes_, {}, std::move(logs));
  if (!server) return tl::unexpected(server.error());
  api->server_ = *std::move(server);
  return api;
}

}  // namespace penstock
