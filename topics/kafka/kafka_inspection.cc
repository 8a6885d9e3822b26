#include "topics/kafka/kafka_inspection.h"

#include <algorithm>
#include <array>
#include <mutex>
#include <string_view>
#include <utility>

#include "topics/kafka/client/admin_options.h"
#include "topics/kafka/client/client_conf.h"

namespace penstock {
namespace {

using namespace kafka;

constexpr int kInspectionTimeoutMs = 10'000;
// "Updated enabled protocol features to A,B", or "... features +C to A,B".
constexpr std::string_view kFeaturesText = "enabled protocol features ", kBeforeList = "to ";

// What a client logs about a broker's features. librdkafka tells it in no other way.
struct FeatureLog {
  std::mutex mutex;
  std::string features;  // "MsgVer1,ApiVersion,..."
};

void note_features(const rd_kafka_t* client, int, const char*, const char* text) {
  auto* const log = static_cast<FeatureLog*>(rd_kafka_opaque(client));
  const std::string_view line(text);
  const std::size_t at = line.rfind(kBeforeList);
  if (log == nullptr || at == line.npos || line.find(kFeaturesText) == line.npos) return;
  const std::lock_guard lock(log->mutex);
  const std::string_view features = line.substr(at + kBeforeList.size());
  // A broker that has not answered yet has few.
  if (features.size() > log->features.size()) log->features = features;
}

std::vector<std::string> split_features(std::string_view list) {
  std::vector<std::string> features;
  while (!list.empty()) {
    const std::size_t comma = std::min(list.find(','), list.size());
    features.emplace_back(list.substr(0, comma));
    list.remove_prefix(std::min(comma + 1, list.size()));
  }
  return features;
}

Result<ClientHandle> new_client(const KafkaProperties& properties, FeatureLog& log) {
  Properties given = properties;
  given["debug"] = "broker";
  auto conf = client_conf(Role::kAdmin, given, {});
  if (!conf) return tl::unexpected(conf.error());
  rd_kafka_conf_set_opaque(conf->get(), &log);
  rd_kafka_conf_set_log_cb(conf->get(), note_features);
  std::array<char, kErrorTextBytes> text{};
  ClientHandle client(
      rd_kafka_new(client_type(Role::kAdmin), conf->get(), text.data(), text.size()));
  if (!client) return failure(std::string("a Kafka client cannot be made: ") + text.data());
  conf->release();  // it belongs to the client
  return client;
}

Status read_brokers(rd_kafka_t* client, KafkaInspection& found) {
  const rd_kafka_metadata_t* raw = nullptr;
  const rd_kafka_resp_err_t error =
      rd_kafka_metadata(client, 0, nullptr, &raw, kInspectionTimeoutMs);
  if (error != RD_KAFKA_RESP_ERR_NO_ERROR)
    return failure(std::string("no broker answers: ") + rd_kafka_err2str(error));
  const MetadataHandle metadata(raw);
  for (int i = 0; i < metadata->broker_cnt; ++i) {
    const rd_kafka_metadata_broker_t& broker = metadata->brokers[i];
    found.brokers.push_back(
        {broker.id, std::string(broker.host) + ":" + std::to_string(broker.port)});
  }
  found.controller = rd_kafka_controllerid(client, kInspectionTimeoutMs);
  return {};
}

KafkaGroup read_group(const rd_kafka_ConsumerGroupDescription_t* described) {
  KafkaGroup group;
  group.name = rd_kafka_ConsumerGroupDescription_group_id(described);
  if (const auto* const error = rd_kafka_ConsumerGroupDescription_error(described)) {
    group.error = rd_kafka_error_string(error);
    return group;
  }
  group.state =
      rd_kafka_consumer_group_state_name(rd_kafka_ConsumerGroupDescription_state(described));
  const std::size_t members = rd_kafka_ConsumerGroupDescription_member_count(described);
  for (std::size_t i = 0; i < members; ++i) {
    const char* const id = rd_kafka_MemberDescription_client_id(
        rd_kafka_ConsumerGroupDescription_member(described, i));
    group.members.emplace_back(id == nullptr ? "" : id);
  }
  return group;
}

void read_groups(rd_kafka_t* client, const std::vector<std::string>& names,
                 KafkaInspection& found) {
  const QueueHandle queue(rd_kafka_queue_new(client));
  // One by one, because a coordinator that is away fails the whole request.
  for (const std::string& name : names) {
    const char* group = name.c_str();
    const AdminOptions options =
        admin_options(client, RD_KAFKA_ADMIN_OP_DESCRIBECONSUMERGROUPS, kInspectionTimeoutMs, 0);
    rd_kafka_DescribeConsumerGroups(client, &group, 1, options.get(), queue.get());
    const EventHandle event(rd_kafka_queue_poll(queue.get(), 2 * kInspectionTimeoutMs));
    KafkaGroup described{name, "", {}, ""};
    if (!event) {
      described.error = "no answer";
    } else if (rd_kafka_event_error(event.get()) != RD_KAFKA_RESP_ERR_NO_ERROR) {
      described.error = rd_kafka_event_error_string(event.get());
    } else {
      std::size_t count = 0;
      const rd_kafka_ConsumerGroupDescription_t** all =
          rd_kafka_DescribeConsumerGroups_result_groups(
              rd_kafka_event_DescribeConsumerGroups_result(event.get()), &count);
      if (count > 0) described = read_group(all[0]);
    }
    found.groups.push_back(std::move(described));
  }
}

}  // namespace

Result<KafkaInspection> inspect_kafka(const KafkaProperties& properties,
                                      const std::vector<std::string>& groups) {
  if (const Status checked = check_properties(properties); !checked)
    return tl::unexpected(checked.error());
  FeatureLog log;  // outlives the client
  auto client = new_client(properties, log);
  if (!client) return tl::unexpected(client.error());
  KafkaInspection found;
  if (const Status read = read_brokers(client->get(), found); !read)
    return tl::unexpected(read.error());
  read_groups(client->get(), groups, found);
  const std::lock_guard lock(log.mutex);
  found.features = split_features(log.features);
  return found;
}

}  // namespace penstock
