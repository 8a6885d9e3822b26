#include "topics/kafka/session/topic_watch.h"

#include <algorithm>
#include <array>

namespace penstock::kafka {
namespace {

constexpr int kDescribeTimeoutMs = 5'000;

using WatchedTopics =
    std::unique_ptr<rd_kafka_TopicCollection_t, Destroyer<rd_kafka_TopicCollection_destroy>>;

Described described(const rd_kafka_TopicDescription_t* from) {
  Described topic;
  topic.topic = rd_kafka_TopicDescription_name(from);
  const rd_kafka_error_t* error = rd_kafka_TopicDescription_error(from);
  const rd_kafka_resp_err_t code = rd_kafka_error_code(error);
  topic.missing =
      code == RD_KAFKA_RESP_ERR_UNKNOWN_TOPIC_OR_PART || code == RD_KAFKA_RESP_ERR__UNKNOWN_TOPIC;
  if (topic.missing) return topic;
  if (code != RD_KAFKA_RESP_ERR_NO_ERROR) {
    topic.error = rd_kafka_error_string(error);
    return topic;
  }
  std::size_t partitions = 0;
  const auto** const infos = rd_kafka_TopicDescription_partitions(from, &partitions);
  topic.partitions = static_cast<int>(partitions);
  for (std::size_t i = 0; i < partitions; ++i) {
    const rd_kafka_Node_t* const leader = rd_kafka_TopicPartitionInfo_leader(infos[i]);
    if (leader == nullptr) continue;
    topic.leaders.emplace(rd_kafka_TopicPartitionInfo_partition(infos[i]),
                          rd_kafka_Node_id(leader));
  }
  const rd_kafka_Uuid_t* uuid = rd_kafka_TopicDescription_topic_id(from);
  topic.uuid = {static_cast<std::uint64_t>(rd_kafka_Uuid_most_significant_bits(uuid)),
                static_cast<std::uint64_t>(rd_kafka_Uuid_least_significant_bits(uuid))};
  return topic;
}

}  // namespace

std::vector<Described> described_by(rd_kafka_event_t* event) {
  std::vector<Described> all;
  if (rd_kafka_event_error(event) != RD_KAFKA_RESP_ERR_NO_ERROR) return all;
  std::size_t count = 0;
  const rd_kafka_TopicDescription_t** topics =
      rd_kafka_DescribeTopics_result_topics(rd_kafka_event_DescribeTopics_result(event), &count);
  for (std::size_t i = 0; i < count; ++i) all.push_back(described(topics[i]));
  return all;
}

void describe_topics(Client& client, const std::vector<std::string>& topics,
                     std::uintptr_t opaque) {
  std::vector<const char*> names;
  for (const std::string& topic : topics) names.push_back(topic.c_str());
  const WatchedTopics asked(rd_kafka_TopicCollection_of_topic_names(names.data(), names.size()));
  const AdminOptions options(
      rd_kafka_AdminOptions_new(client.get(), RD_KAFKA_ADMIN_OP_DESCRIBETOPICS));
  std::array<char, kErrorTextBytes> text{};
  rd_kafka_AdminOptions_set_request_timeout(options.get(), kDescribeTimeoutMs, text.data(),
                                            text.size());
  rd_kafka_AdminOptions_set_opaque(options.get(), reinterpret_cast<void*>(opaque));
  client.describes().sent();
  rd_kafka_DescribeTopics(client.get(), asked.get(), options.get(), client.queue());
}

void TopicWatch::begin(const std::string& topic) {
  if (topics_.try_emplace(topic).second) send();
}

void TopicWatch::saw(const Described& topic) {
  // This broker's metadata may be stale, so its answer only starts the watch's own requests.
  if (topic.missing) return suspect(topic.topic);
  if (topic.error.empty()) take(topic);
}

void TopicWatch::suspect(const std::string& topic) {
  Watched& watched = topics_[topic];
  // A count of requests that is under way must not start again. One that is over has been reported
  // to those who read the topic then.
  if (watched.suspected && watched.asks < kMaxAsks) return;
  watched.suspected = true;
  watched.asks = 0;
  watched.due = Clock::now() + kAskAgainAfter;
}

void TopicWatch::send() {
  const Clock::time_point now = Clock::now();
  std::vector<std::string> due;
  for (auto& [name, watched] : topics_) {
    if (watched.asking || now < watched.due) continue;
    watched.asking = true;
    due.push_back(name);
  }
  if (!due.empty()) describe_topics(client_, due, kOpaque);
}

void TopicWatch::on_described(rd_kafka_event_t* event) {
  for (const Described& topic : described_by(event)) {
    if (topic.missing) {
      take_missing(topic.topic, topics_[topic.topic]);
    } else if (topic.error.empty()) {
      take(topic);
    }
  }
  // Topics that the answer does not cover (no broker answered) are asked for again.
  for (auto& [name, watched] : topics_) {
    if (std::exchange(watched.asking, false)) {
      watched.due = std::max(watched.due, Clock::now() + kAskAgainAfter);
    }
  }
}

void TopicWatch::take(const Described& topic) {
  Watched& watched = topics_[topic.topic];
  // First, so that the reads of the old topic end and are not resumed by the news below.
  if (are_different(watched.uuid, topic.uuid)) {
    news_.push_back({topic.topic, Change::kRecreated, topic.partitions});
  }
  if (std::exchange(watched.suspected, false)) {
    news_.push_back({topic.topic, Change::kThere, topic.partitions});
  }
  watched.uuid = topic.uuid;
  watched.asks = 0;
  watched.due = Clock::now() + kLookEvery;
}

void TopicWatch::take_missing(const std::string& name, Watched& watched) {
  watched.suspected = true;
  watched.due = Clock::now() + kAskAgainAfter;
  if (++watched.asks != kMaxAsks) return;  // reported once for each suspicion
  news_.push_back({name, Change::kMissing, 0});
}

std::optional<std::chrono::nanoseconds> TopicWatch::due_in() const {
  std::optional<std::chrono::nanoseconds> due;
  const Clock::time_point now = Clock::now();
  for (const auto& [name, watched] : topics_) {
    if (watched.asking) continue;
    const auto left =
        std::max<std::chrono::nanoseconds>(watched.due - now, std::chrono::nanoseconds(0));
    due = std::min<std::chrono::nanoseconds>(due.value_or(left), left);
  }
  return due;
}

}  // namespace penstock::kafka
