// Whether the topics that a session works on are still there, and still the same ones.
//
// What always holds: a topic counts as missing only when it was asked for kMaxAsks times, a second
// apart, and no broker knew it: metadata may be stale right after a topic was created or a broker
// has started. A topic that was deleted and created again is noticed by its id, within kLookEvery:
// by its offsets alone it is not told from the one before.
// One thread; events come through the client's queue.
#pragma once

#include <chrono>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "topics/kafka/client/client.h"

namespace penstock::kafka {

// What DescribeTopics says of one topic.
struct Described {
  std::string topic;
  TopicUuid uuid;
  int partitions = 0;
  std::map<PartitionId, int> leaders;  // by their nodes' ids; none: left out
  bool missing = false;
  std::string error;  // neither there nor missing, when not empty
};
[[nodiscard]] std::vector<Described> described_by(rd_kafka_event_t* event);
// The answer comes as RD_KAFKA_EVENT_DESCRIBETOPICS_RESULT with this opaque.
void describe_topics(Client& client, const std::vector<std::string>& topics, std::uintptr_t opaque);

class TopicWatch {
 public:
  static constexpr std::chrono::seconds kLookEvery{10};
  static constexpr std::chrono::seconds kAskAgainAfter{1};
  static constexpr int kMaxAsks = 5;
  static constexpr std::uintptr_t kOpaque = 0;

  enum class Change : std::uint8_t { kThere, kMissing, kRecreated };
  struct News {
    std::string topic;
    Change change;
    int partitions = 0;
  };

  explicit TopicWatch(Client& client) : client_(client) {}

  // It is watched from now on, and asked for at once when nobody has described it yet.
  void begin(const std::string& topic);
  // A broker has described it: it is watched from now on.
  void saw(const Described& topic);
  // Some answer said that there is no such topic. News follows, that it is there or that it is not.
  void suspect(const std::string& topic);
  // Asks for what is due.
  void send();
  void on_described(rd_kafka_event_t* event);
  [[nodiscard]] std::vector<News> take_news() { return std::exchange(news_, {}); }
  [[nodiscard]] std::optional<std::chrono::nanoseconds> due_in() const;

 private:
  using Clock = std::chrono::steady_clock;
  struct Watched {
    TopicUuid uuid;
    bool suspected = false;
    bool asking = false;
    int asks = 0;  // in a row that found it missing
    Clock::time_point due;
  };

  void take(const Described& topic);
  void take_missing(const std::string& name, Watched& watched);

  Client& client_;
  std::map<std::string, Watched> topics_;
  std::vector<News> news_;
};

}  // namespace penstock::kafka
