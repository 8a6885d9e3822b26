#include "topics/embedded/embedded_log.h"

#include <utility>

#include "topics/embedded/disk/time_search.h"
#include "topics/embedded/engine.h"
#include "topics/embedded/session.h"
#include "topics/values/check.h"

namespace penstock {
namespace embedded {
namespace {

class EmbeddedLog final : public Log {
 public:
  explicit EmbeddedLog(std::unique_ptr<Engine> engine) : engine_(std::move(engine)) {}

  ~EmbeddedLog() override {
    PENSTOCK_CHECK(engine_->open_sessions == 0, "a session outlives its embedded log");
  }

  Result<std::unique_ptr<LogSession>> open(const SessionOptions& options) override {
    return std::make_unique<Session>(*engine_, options);
  }

  Status create(const TopicSettings& topic) override { return engine_->catalog.create(topic); }

  Status configure(const std::string& topic, const std::vector<TopicProperty>& config) override {
    return engine_->catalog.configure(topic, config);
  }

  Result<TopicDescription> describe(const std::string& topic) override {
    const Topic* found = engine_->catalog.find(topic);
    if (found == nullptr) return TopicDescription{.name = topic, .config = {}};
    TopicSettings settings = found->row().settings;
    return TopicDescription{topic, true, settings.partitions, settings.replication,
                            std::move(settings.config)};
  }

  Result<int> broker_count() override { return 1; }

  Result<std::vector<OffsetsAt>> offsets_at(const std::string& topic, Time at) override {
    const Topic* found = engine_->catalog.find(topic);
    if (found == nullptr) return failure("topic " + topic + " does not exist: create it first");
    std::vector<OffsetsAt> offsets;
    for (PartitionId id = 0; id < found->partition_count(); ++id) {
      const Partition& partition = *found->partition(id);
      Bounds bounds = partition.bounds();
      bounds.topic = found->uuid();
      const Result<Offset> first = first_not_before(*engine_->store, partition, bounds, at);
      if (!first) return failure(first.error().message);
      offsets.push_back({bounds, *first});
    }
    return offsets;
  }

 private:
  const std::unique_ptr<Engine> engine_;
};

}  // namespace
}  // namespace embedded

Result<std::unique_ptr<Log>> open_embedded(const std::string& directory,
                                           const EmbeddedLogSettings& settings) {
  Result<std::unique_ptr<embedded::Store>> store = embedded::Store::open(directory);
  if (!store) return tl::unexpected<Error>(store.error());
  auto engine = std::make_unique<embedded::Engine>(std::move(*store), settings.session_timeout);
  if (Status loaded = engine->catalog.load(); !loaded) {
    return tl::unexpected<Error>(loaded.error());
  }
  engine->writer = std::make_unique<embedded::Writer>(*engine->store, engine->catalog);
  return std::make_unique<embedded::EmbeddedLog>(std::move(engine));
}

}  // namespace penstock
