// One partition on its simulated broker: a dense log, its start, the broker's memory of idempotent
// producers, and the broker's clock. Records are not freed before the cluster is destroyed, so that
// views of them stay valid and a checker can read below the start. Belongs to the simulator's
// thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "topics/log.h"
#include "topics/simulated/world/random.h"

namespace penstock::simulated {

// The largest difference between a broker's clock and true time, so that two brokers' clocks differ
// by at most 500 ms.
inline constexpr std::int64_t kMaxSkewMs = 250;

inline constexpr std::size_t kRememberedRequests = 5;  // per producer, as in Kafka

// The bytes of a record. It is never moved, because the log and requests in flight point to it.
class Payload {
 public:
  Payload(const NewRecord& record, Time created);
  Payload(const Payload&) = delete;
  Payload& operator=(const Payload&) = delete;

  [[nodiscard]] LogRecord view(Offset offset, Time timestamp) const;
  [[nodiscard]] Time created() const { return created_; }
  [[nodiscard]] std::size_t size() const { return bytes_.size(); }
  [[nodiscard]] std::uint64_t digest() const;
  // Whether it has been appended; a payload is sent to one partition only.
  [[nodiscard]] bool entered() const { return entered_; }
  void set_entered() const { entered_ = true; }

 private:
  std::string bytes_;
  std::optional<std::string_view> key_, value_;
  std::vector<HeaderView> headers_;
  Time created_;
  mutable bool entered_ = false;
};

// The records of one request. The cluster keeps them, because a request may outlive its session.
using Batch = std::vector<const Payload*>;

class Partition {
 public:
  Partition(std::string topic, PartitionId id, bool log_append_time, std::size_t max_bytes);

  [[nodiscard]] const std::string& topic() const { return topic_; }
  // The id of the topic. Requests to a deleted topic reach the one that was created in its place.
  [[nodiscard]] TopicUuid topic_uuid() const { return uuid_; }
  void set_topic_uuid(TopicUuid uuid) { uuid_ = uuid; }
  void replace_with(Partition& successor) { successor_ = &successor; }
  [[nodiscard]] Partition& live() { return successor_ ? successor_->live() : *this; }
  [[nodiscard]] bool deleted() const { return successor_ != nullptr; }
  [[nodiscard]] PartitionId id() const { return id_; }
  [[nodiscard]] bool log_append_time() const { return log_append_time_; }
  [[nodiscard]] std::size_t max_bytes() const { return max_bytes_; }
  void configure(bool log_append_time, std::size_t max_bytes);

  [[nodiscard]] Offset start() const { return start_; }
  [[nodiscard]] Offset end() const { return Offset{static_cast<std::int64_t>(entries_.size())}; }
  // Any record that was ever appended, even below the start.
  [[nodiscard]] LogRecord at(Offset offset) const;

  Offset append(const Payload& payload, Time timestamp);
  void trim(Offset before);

  // How a broker that remembers an idempotent producer judges its request.
  enum class Verdict { kNext, kKnown, kAhead, kUnknown };
  struct Memory {
    Verdict verdict;
    // the first record's, if the request is known and still remembered
    std::optional<Offset> offset;
  };
  [[nodiscard]] Memory recall(std::uint64_t producer, std::int64_t sequence) const;
  void remember(std::uint64_t producer, std::int64_t sequence, std::int64_t count, Offset first);
  void begin_at(std::uint64_t producer, std::int64_t sequence);
  void forget_producers() { producers_.clear(); }

  void wait_for_record(std::function<void()> wake) { waiting_.push_back(std::move(wake)); }
  [[nodiscard]] std::vector<std::function<void()>> take_waiting();

  // The leader's clock relative to true time, and the time until which there is no leader.
  [[nodiscard]] Duration skew() const { return skew_; }
  [[nodiscard]] Instant away_until() const { return away_until_; }
  void lead(Duration skew, Instant away_until);

 private:
  struct Entry {
    const Payload* payload;
    Time timestamp;
  };
  struct Taken {
    std::int64_t sequence;
    Offset first;
  };
  struct Producer {
    std::int64_t next = 0;
    std::deque<Taken> last;  // at most kRememberedRequests
  };

  std::string topic_;
  PartitionId id_;
  bool log_append_time_;
  std::size_t max_bytes_;
  Offset start_;
  std::vector<Entry> entries_;
  std::map<std::uint64_t, Producer> producers_;
  std::vector<std::function<void()>> waiting_;
  Duration skew_{0};
  Instant away_until_{};
  TopicUuid uuid_;
  Partition* successor_ = nullptr;
};

}  // namespace penstock::simulated
