// Watches whether the topics that a session uses still exist and are still the same ones.
//
// What always holds: a topic counts as missing only after kMaxAsks requests, a second apart, to
// which no broker knew it, because metadata can be stale right after a topic was created or a
// broker has started. A topic that was deleted and created again is recognized by its id within
// kLookEvery; its offsets alone do not show it.
//
// Belongs to one thread; events arrive in the client's queue.
#pragma once

#include <chrono>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "topics/kafka/client/client.h"

namespace penstock::kafka {

// What DescribeTopics reports about one topic.
struct Described {
  std::string topic;
  TopicUuid uuid;
  int partitions = 0;
  std::map<PartitionId, int> leaders;  // node ids; partitions without a leader are omitted
  bool missing = false;
  std::string error;  // unless empty: neither known to exist nor known to be missing
};
[[nodiscard]] std::vector<Described> described_by(rd_kafka_event_t* event);
// The answer arrives as RD_KAFKA_EVENT_DESCRIBETOPICS_RESULT with this opaque.
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

  // Watches the topic from now on, and asks for it at once if it has not been described yet.
  void begin(const std::string& topic);
  // A broker has described the topic: watches it from now on.
  void saw(const Described& topic);
  // An answer said that the topic does not exist. News will follow in either case.
  void suspect(const std::string& topic);
  // Sends the requests that are due.
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
    int asks = 0;  // consecutive requests that found it missing
    Clock::time_point due;
  };

  void take(const Described& topic);
  void take_missing(const std::string& name, Watched& watched);

  Client& client_;
  std::map<std::string, Watched> topics_;
  std::vector<News> news_;
};

}  // namespace penstock::kafka
