#include "topics/kafka/topic_admin.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <span>
#include <thread>

#include "topics/kafka/client/admin_options.h"
#include "topics/kafka/client/client.h"
#include "topics/kafka/session/topic_watch.h"

namespace penstock::kafka {
namespace {

using Clock = std::chrono::steady_clock;

constexpr int kChangeTimeoutMs = 30'000;  // to create or configure a topic
// For questions. It must be shorter than an operator waits for a worker to stop, because a starting
// worker asks them.
constexpr int kQuestionTimeoutMs = 10'000;
constexpr int kOneTryMs = 5'000;
constexpr int kFirstMetadataTryMs = 500;
constexpr std::chrono::milliseconds kTryAgainAfter{50};

class Deadline {
 public:
  explicit Deadline(int ms) : ms_(ms), end_(Clock::now() + std::chrono::milliseconds(ms)) {}
  [[nodiscard]] int left_ms() const {
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(end_ - Clock::now());
    // librdkafka takes a negative timeout as "wait for ever".
    return std::max(1, static_cast<int>(left.count()));
  }
  [[nodiscard]] bool passed() const { return Clock::now() >= end_; }
  [[nodiscard]] std::string text() const { return std::to_string(ms_ / 1000) + " s"; }

 private:
  int ms_;
  Clock::time_point end_;
};

struct Asker {
  std::unique_ptr<Client> client;
  std::string brokers;
  Deadline deadline;

  [[nodiscard]] rd_kafka_t* handle() const { return client->get(); }
};

Result<Asker> asker(const Properties& properties, int timeout_ms) {
  Result<std::unique_ptr<Client>> client = Client::make(Role::kAdmin, properties, {}, nullptr);
  if (!client) return failure(client.error().message);
  const auto brokers = properties.find("bootstrap.servers");
  return Asker{std::move(*client), brokers == properties.end() ? "" : brokers->second,
               Deadline(timeout_ms)};
}

AdminOptions options_for(const Asker& asker, rd_kafka_admin_op_t operation) {
  AdminOptions options = admin_options(asker.handle(), operation, asker.deadline.left_ms(), 0);
  if (operation == RD_KAFKA_ADMIN_OP_CREATETOPICS) {
    std::array<char, kErrorTextBytes> text{};
    rd_kafka_AdminOptions_set_operation_timeout(options.get(), kChangeTimeoutMs, text.data(),
                                                text.size());
  }
  return options;
}

// What a client has reported about its connections.
struct Trouble {
  bool all_down = false;
  std::string text;  // the latest

  [[nodiscard]] const char* why() const { return text.empty() ? nullptr : text.c_str(); }
  void take(rd_kafka_event_t* event) {
    if (rd_kafka_event_type(event) != RD_KAFKA_EVENT_ERROR) return;
    if (rd_kafka_event_error(event) == RD_KAFKA_RESP_ERR__ALL_BROKERS_DOWN) {
      all_down = true;
    } else {
      text = rd_kafka_event_error_string(event);
    }
  }
  void take_all(Client& client) {
    while (const EventHandle event = client.next_event()) take(event.get());
  }
};

// Waits for the wanted result and skips errors and other events; null: the time is up. With
// `trouble`, it stops waiting as soon as no broker is reachable; the result is null then, too.
EventHandle await(const Asker& asker, rd_kafka_event_type_t type, Trouble* trouble = nullptr) {
  while (!asker.deadline.passed() && !(trouble && trouble->all_down)) {
    EventHandle event = asker.client->next_event(asker.deadline.left_ms());
    if (!event) continue;
    if (rd_kafka_event_type(event.get()) == type) return event;
    if (trouble) trouble->take(event.get());
  }
  return nullptr;
}

const char* admin_way_out(rd_kafka_resp_err_t error) {
  switch (error) {
    case RD_KAFKA_RESP_ERR__TIMED_OUT:
    case RD_KAFKA_RESP_ERR__TRANSPORT:
    case RD_KAFKA_RESP_ERR__ALL_BROKERS_DOWN:
      return "check that the brokers run and that bootstrap.servers is right";
    case RD_KAFKA_RESP_ERR_INVALID_REPLICATION_FACTOR:
      return "set a replication factor of at most the number of brokers";
    case RD_KAFKA_RESP_ERR_TOPIC_ALREADY_EXISTS:
      return "describe it to see whether it is set up as wanted";
    case RD_KAFKA_RESP_ERR_TOPIC_AUTHORIZATION_FAILED:
    case RD_KAFKA_RESP_ERR_CLUSTER_AUTHORIZATION_FAILED:
      return "grant this user CREATE, DESCRIBE and ALTER_CONFIGS on the topic";
    case RD_KAFKA_RESP_ERR_UNKNOWN_TOPIC_OR_PART:
      return "run `penstock topics create`";
    default:
      return "check the broker's log";
  }
}

tl::unexpected<Error> refusal(const Asker& asker, const std::string& what,
                              rd_kafka_resp_err_t error, const char* text) {
  return failure("cannot " + what + " at " + asker.brokers + ": " +
                 (text != nullptr ? text : rd_kafka_err2str(error)) + "; " + admin_way_out(error));
}

tl::unexpected<Error> no_answer(const Asker& asker, const std::string& what) {
  return refusal(asker, what, RD_KAFKA_RESP_ERR__TIMED_OUT,
                 ("no answer within " + asker.deadline.text()).c_str());
}

// Asks every partition of the topic for an offset: RD_KAFKA_OFFSET_SPEC_* or a time in ms since
// 1970. Null: no answer came. The answer's partitions may have errors.
EventHandle list_offsets(const Asker& asker, const std::string& topic, int partitions,
                         std::int64_t which) {
  const PartitionList list = partition_list(partitions);
  for (int i = 0; i < partitions; ++i)
    rd_kafka_topic_partition_list_add(list.get(), topic.c_str(), i)->offset = which;
  AdminOptions options = options_for(asker, RD_KAFKA_ADMIN_OP_LISTOFFSETS);
  std::array<char, kErrorTextBytes> text{};
  rd_kafka_AdminOptions_set_request_timeout(
      options.get(), std::min(kOneTryMs, asker.deadline.left_ms()), text.data(), text.size());
  rd_kafka_ListOffsets(asker.handle(), list.get(), options.get(), asker.client->queue());
  return await(asker, RD_KAFKA_EVENT_LISTOFFSETS_RESULT);
}

// Valid as long as the event.
std::span<const rd_kafka_ListOffsetsResultInfo_t*> offsets_of(rd_kafka_event_t* event) {
  std::size_t count = 0;
  const rd_kafka_ListOffsetsResultInfo_t** infos =
      rd_kafka_ListOffsets_result_infos(rd_kafka_event_ListOffsets_result(event), &count);
  return {infos, count};
}

// Asks every partition for its offset. An idempotent producer that writes to a new topic before
// that can lose its first batches (KAFKA-15591).
Result<bool> offsets_answer(const Asker& asker, const TopicSettings& topic) {
  const EventHandle event =
      list_offsets(asker, topic.name, topic.partitions, RD_KAFKA_OFFSET_SPEC_LATEST);
  if (!event) return no_answer(asker, "reach every partition of topic \"" + topic.name + "\"");
  if (rd_kafka_event_error(event.get()) != RD_KAFKA_RESP_ERR_NO_ERROR) return false;
  const auto infos = offsets_of(event.get());
  for (const rd_kafka_ListOffsetsResultInfo_t* info : infos) {
    const auto* partition = rd_kafka_ListOffsetsResultInfo_topic_partition(info);
    if (partition->err != RD_KAFKA_RESP_ERR_NO_ERROR) return false;
  }
  return infos.size() == static_cast<std::size_t>(topic.partitions);
}

Status await_partitions(const Asker& asker, const TopicSettings& topic) {
  // The deadline ends this: after it, offsets_answer() fails.
  while (true) {
    const Result<bool> ready = offsets_answer(asker, topic);
    if (!ready) return failure(ready.error().message);
    if (*ready) return {};
    std::this_thread::sleep_for(kTryAgainAfter);
  }
}

// Whether the same question may have an answer in a moment.
bool passes(rd_kafka_resp_err_t error) {
  return error == RD_KAFKA_RESP_ERR_NOT_LEADER_FOR_PARTITION ||
         error == RD_KAFKA_RESP_ERR_LEADER_NOT_AVAILABLE || error == RD_KAFKA_RESP_ERR__TIMED_OUT ||
         error == RD_KAFKA_RESP_ERR__TRANSPORT;
}

// The offset of each partition; -1 where no record is as late as the time that was asked for.
Result<std::vector<std::int64_t>> ask_offsets(const Asker& asker, const Described& topic,
                                              std::int64_t which) {
  const std::string what = "ask for the offsets of topic \"" + topic.topic + "\"";
  while (true) {
    const EventHandle event = list_offsets(asker, topic.topic, topic.partitions, which);
    if (!event) return no_answer(asker, what);
    rd_kafka_resp_err_t error = rd_kafka_event_error(event.get());
    std::vector<std::int64_t> offsets(static_cast<std::size_t>(topic.partitions), -1);
    if (error == RD_KAFKA_RESP_ERR_NO_ERROR) {
      for (const rd_kafka_ListOffsetsResultInfo_t* info : offsets_of(event.get())) {
        const auto* partition = rd_kafka_ListOffsetsResultInfo_topic_partition(info);
        if (partition->err != RD_KAFKA_RESP_ERR_NO_ERROR) error = partition->err;
        offsets.at(static_cast<std::size_t>(partition->partition)) = partition->offset;
      }
    }
    if (error == RD_KAFKA_RESP_ERR_NO_ERROR) return offsets;
    if (!passes(error) || asker.deadline.passed()) return refusal(asker, what, error, nullptr);
    asker.client->refresh_leaders();
    std::this_thread::sleep_for(kTryAgainAfter);
  }
}

Result<Described> describe_one(const Asker& asker, const std::string& topic) {
  const std::string what = "describe topic \"" + topic + "\"";
  describe_topics(*asker.client, {topic}, 0);
  Trouble trouble;
  const EventHandle event = await(asker, RD_KAFKA_EVENT_DESCRIBETOPICS_RESULT, &trouble);
  if (!event && trouble.all_down)
    return refusal(asker, what, RD_KAFKA_RESP_ERR__ALL_BROKERS_DOWN, trouble.why());
  if (!event) return no_answer(asker, what);
  if (const auto error = rd_kafka_event_error(event.get()); error != RD_KAFKA_RESP_ERR_NO_ERROR)
    return refusal(asker, what, error, rd_kafka_event_error_string(event.get()));
  std::vector<Described> found = described_by(event.get());
  if (found.size() != 1) return no_answer(asker, what);
  if (found.front().missing)
    return refusal(asker, what, RD_KAFKA_RESP_ERR_UNKNOWN_TOPIC_OR_PART, nullptr);
  if (!found.front().error.empty())
    return refusal(asker, what, RD_KAFKA_RESP_ERR_UNKNOWN, found.front().error.c_str());
  return std::move(found.front());
}

Status topic_result(const Asker& asker, rd_kafka_event_t* event, const std::string& what) {
  const auto* result = rd_kafka_event_CreateTopics_result(event);
  std::size_t count = 0;
  const rd_kafka_topic_result_t** topics = rd_kafka_CreateTopics_result_topics(result, &count);
  for (std::size_t i = 0; i < count; ++i) {
    const rd_kafka_resp_err_t error = rd_kafka_topic_result_error(topics[i]);
    if (error != RD_KAFKA_RESP_ERR_NO_ERROR) {
      return refusal(asker, what, error, rd_kafka_topic_result_error_string(topics[i]));
    }
  }
  return {};
}

// Tries several times with growing timeouts: this reports an unreachable cluster early, with the
// reason, and still gives a slow one enough time. With a null `topic`, it asks only for the
// brokers.
Result<MetadataHandle> metadata_of(const Asker& asker, rd_kafka_topic_t* topic,
                                   const std::string& what) {
  Trouble trouble;
  rd_kafka_resp_err_t error = RD_KAFKA_RESP_ERR_NO_ERROR;
  int try_ms = kFirstMetadataTryMs;
  do {
    const rd_kafka_metadata_t* metadata = nullptr;
    error = rd_kafka_metadata(asker.handle(), 0, topic, &metadata,
                              std::min(try_ms, asker.deadline.left_ms()));
    if (error == RD_KAFKA_RESP_ERR_NO_ERROR) return MetadataHandle(metadata);
    trouble.take_all(*asker.client);
    try_ms *= 2;
  } while (!trouble.all_down && !asker.deadline.passed());
  return refusal(asker, what, error, trouble.why());
}

Status read_config(const Asker& asker, TopicDescription& description) {
  const std::string what = "read the settings of topic \"" + description.name + "\"";
  const ConfigResource resource(
      rd_kafka_ConfigResource_new(RD_KAFKA_RESOURCE_TOPIC, description.name.c_str()));
  rd_kafka_ConfigResource_t* argument = resource.get();
  const AdminOptions options = options_for(asker, RD_KAFKA_ADMIN_OP_DESCRIBECONFIGS);
  rd_kafka_DescribeConfigs(asker.handle(), &argument, 1, options.get(), asker.client->queue());
  Trouble trouble;
  const EventHandle event = await(asker, RD_KAFKA_EVENT_DESCRIBECONFIGS_RESULT, &trouble);
  if (!event && trouble.all_down) {
    return refusal(asker, what, RD_KAFKA_RESP_ERR__ALL_BROKERS_DOWN, trouble.why());
  }
  if (!event) return no_answer(asker, what);
  if (const auto error = rd_kafka_event_error(event.get()); error != RD_KAFKA_RESP_ERR_NO_ERROR) {
    return refusal(asker, what, error, rd_kafka_event_error_string(event.get()));
  }
  std::size_t resources = 0;
  const rd_kafka_ConfigResource_t** described = rd_kafka_DescribeConfigs_result_resources(
      rd_kafka_event_DescribeConfigs_result(event.get()), &resources);
  for (std::size_t i = 0; i < resources; ++i) {
    const rd_kafka_resp_err_t error = rd_kafka_ConfigResource_error(described[i]);
    if (error != RD_KAFKA_RESP_ERR_NO_ERROR) {
      return refusal(asker, what, error, rd_kafka_ConfigResource_error_string(described[i]));
    }
    std::size_t count = 0;
    const rd_kafka_ConfigEntry_t** entries = rd_kafka_ConfigResource_configs(described[i], &count);
    for (std::size_t entry = 0; entry < count; ++entry) {
      const char* const value = rd_kafka_ConfigEntry_value(entries[entry]);
      description.config.push_back(
          {rd_kafka_ConfigEntry_name(entries[entry]), value == nullptr ? "" : value});
    }
  }
  return {};
}

}  // namespace

Status create_topic(const Properties& properties, const TopicSettings& topic) {
  const Result<Asker> made = asker(properties, kChangeTimeoutMs);
  if (!made) return failure(made.error().message);
  const std::string what = "create topic \"" + topic.name + "\"";
  std::array<char, kErrorTextBytes> text{};
  const NewTopicHandle settings(rd_kafka_NewTopic_new(topic.name.c_str(), topic.partitions,
                                                      topic.replication, text.data(), text.size()));
  if (!settings) return failure("cannot " + what + ": " + text.data());
  for (const TopicProperty& property : topic.config) {
    rd_kafka_NewTopic_set_config(settings.get(), property.name.c_str(), property.value.c_str());
  }
  rd_kafka_NewTopic_t* argument = settings.get();
  const AdminOptions options = options_for(*made, RD_KAFKA_ADMIN_OP_CREATETOPICS);
  rd_kafka_CreateTopics(made->handle(), &argument, 1, options.get(), made->client->queue());
  const EventHandle event = await(*made, RD_KAFKA_EVENT_CREATETOPICS_RESULT);
  if (!event) return no_answer(*made, what);
  if (const auto error = rd_kafka_event_error(event.get()); error != RD_KAFKA_RESP_ERR_NO_ERROR) {
    return refusal(*made, what, error, rd_kafka_event_error_string(event.get()));
  }
  return topic_result(*made, event.get(), what).and_then([&] {
    return await_partitions(*made, topic);
  });
}

Status configure_topic(const Properties& properties, const std::string& topic,
                       const std::vector<TopicProperty>& config) {
  const Result<Asker> made = asker(properties, kChangeTimeoutMs);
  if (!made) return failure(made.error().message);
  const std::string what = "set properties of topic \"" + topic + "\"";
  const ConfigResource resource(
      rd_kafka_ConfigResource_new(RD_KAFKA_RESOURCE_TOPIC, topic.c_str()));
  for (const TopicProperty& property : config) {
    const ErrorHandle error(rd_kafka_ConfigResource_add_incremental_config(
        resource.get(), property.name.c_str(), RD_KAFKA_ALTER_CONFIG_OP_TYPE_SET,
        property.value.c_str()));
    if (error) return failure("cannot " + what + ": " + rd_kafka_error_string(error.get()));
  }
  rd_kafka_ConfigResource_t* argument = resource.get();
  const AdminOptions options = options_for(*made, RD_KAFKA_ADMIN_OP_INCREMENTALALTERCONFIGS);
  rd_kafka_IncrementalAlterConfigs(made->handle(), &argument, 1, options.get(),
                                   made->client->queue());
  const EventHandle event = await(*made, RD_KAFKA_EVENT_INCREMENTALALTERCONFIGS_RESULT);
  if (!event) return no_answer(*made, what);
  if (const auto error = rd_kafka_event_error(event.get()); error != RD_KAFKA_RESP_ERR_NO_ERROR) {
    return refusal(*made, what, error, rd_kafka_event_error_string(event.get()));
  }
  std::size_t count = 0;
  const rd_kafka_ConfigResource_t** altered = rd_kafka_IncrementalAlterConfigs_result_resources(
      rd_kafka_event_IncrementalAlterConfigs_result(event.get()), &count);
  for (std::size_t i = 0; i < count; ++i) {
    const rd_kafka_resp_err_t error = rd_kafka_ConfigResource_error(altered[i]);
    if (error == RD_KAFKA_RESP_ERR_NO_ERROR) continue;
    return refusal(*made, what, error, rd_kafka_ConfigResource_error_string(altered[i]));
  }
  return {};
}

Result<TopicDescription> describe_topic(const Properties& properties, const std::string& topic) {
  const Result<Asker> made = asker(properties, kQuestionTimeoutMs);
  if (!made) return failure(made.error().message);
  TopicDescription description;
  description.name = topic;
  const std::string what = "describe topic \"" + topic + "\"";
  const TopicHandle handle(rd_kafka_topic_new(made->handle(), topic.c_str(), nullptr));
  if (!handle) return failure("cannot " + what + ": that is not a valid topic name");
  const Result<MetadataHandle> metadata = metadata_of(*made, handle.get(), what);
  if (!metadata) return failure(metadata.error().message);
  if ((*metadata)->topic_cnt != 1) return no_answer(*made, what);
  const rd_kafka_metadata_topic& found = (*metadata)->topics[0];
  if (found.err == RD_KAFKA_RESP_ERR_UNKNOWN_TOPIC_OR_PART) return description;
  // A topic whose partition has no leader at the moment does exist, and its settings can be read.
  if (found.err != RD_KAFKA_RESP_ERR_NO_ERROR &&
      found.err != RD_KAFKA_RESP_ERR_LEADER_NOT_AVAILABLE) {
    return refusal(*made, what, found.err, nullptr);
  }
  description.exists = true;
  description.partitions = found.partition_cnt;
  description.replication = found.partition_cnt == 0 ? 0 : found.partitions[0].replica_cnt;
  const Status read = read_config(*made, description);
  if (!read) return failure(read.error().message);
  return description;
}

Result<int> count_brokers(const Properties& properties) {
  const Result<Asker> made = asker(properties, kQuestionTimeoutMs);
  if (!made) return failure(made.error().message);
  return metadata_of(*made, nullptr, "count the brokers").map([](const MetadataHandle& metadata) {
    return metadata->broker_cnt;
  });
}

Result<std::vector<OffsetsAt>> offsets_at(const Properties& properties, const std::string& topic,
                                          Time at) {
  const Result<Asker> made = asker(properties, kQuestionTimeoutMs);
  if (!made) return failure(made.error().message);
  const Result<Described> described = describe_one(*made, topic);
  if (!described) return failure(described.error().message);
  // In this order: a start that moves in between cannot pass the end, and a record that arrives in
  // between lies after the end, so it cannot be missed as "none is as late as this".
  const auto starts = ask_offsets(*made, *described, RD_KAFKA_OFFSET_SPEC_EARLIEST);
  if (!starts) return failure(starts.error().message);
  const auto ends = ask_offsets(*made, *described, RD_KAFKA_OFFSET_SPEC_LATEST);
  if (!ends) return failure(ends.error().message);
  Result<std::vector<std::int64_t>> found = *starts;
  if (at > Time{}) found = ask_offsets(*made, *described, to_ms(at));
  if (!found) return failure(found.error().message);
  std::vector<OffsetsAt> offsets;
  for (std::size_t i = 0; i < starts->size(); ++i) {
    const std::int64_t start = (*starts)[i], end = std::max(start, (*ends)[i]);
    const std::int64_t first = (*found)[i] < 0 ? end : std::clamp((*found)[i], start, end);
    offsets.push_back({{Offset{start}, Offset{end}, described->uuid}, Offset{first}});
  }
  return offsets;
}

}  // namespace penstock::kafka
