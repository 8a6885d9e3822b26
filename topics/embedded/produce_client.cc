#include "topics/embedded/produce_client.h"

#include <algorithm>
#include <deque>
#include <mutex>
#include <unordered_map>
#include <utility>
#include <vector>

#include "topics/partitioner.h"
#include "topics/values/check.h"

namespace penstock {
namespace embedded {
namespace {

struct Waiting {
  TopicId topic;
  std::string key;
  std::string value;
  std::vector<Header> headers;
  Ticket ticket = 0;
};

// What callers pass to the polling thread.
struct Handed {
  std::vector<Waiting> records;
  std::vector<TopicId> opens;
  bool purge = false;

  [[nodiscard]] bool empty() const { return records.empty() && opens.empty() && !purge; }
};

class EmbeddedProduceClient final : public ProduceClient, private LogListener {
 public:
  EmbeddedProduceClient(Log& log, std::unique_ptr<LogSession> session)
      : log_(log), session_(std::move(session)) {}

  TopicId topic(std::string_view name) override;
  void open(TopicId topic) override;
  Produced produce(TopicId topic, const NewRecord& record, Ticket ticket) override;
  void purge() override;
  void poll(ProduceListener& listener, std::chrono::milliseconds at_most) override;
  void wake() override { session_->wake(); }

 private:
  struct Topic {
    TopicId of_session;
    int partitions = 0;  // set once it has been opened
  };

  template <typename Change>
  void hand(Change change);
  [[nodiscard]] std::string name_of(TopicId topic);
  void take_handed(ProduceListener& listener);
  void answer_open(TopicId topic, ProduceListener& listener);
  [[nodiscard]] Opened look_up(TopicId topic);
  void append_waiting();
  [[nodiscard]] bool append(const Waiting& record);
  void fail_all(ProduceListener& listener);

  void on_appended(Lane, Ticket ticket, const Appended& result) override;
  void on_connection(bool connected, std::string_view detail) override;
  void on_fatal(std::string_view detail) override { listener_->on_trouble(detail); }
  void on_assigned(std::span<const PartitionId>) override {}
  void on_revoked(std::span<const PartitionId>) override {}
  void on_lost(std::span<const PartitionId>) override {}
  void on_records(TopicPartition, std::span<const LogRecord>) override {}
  void on_out_of_range(TopicPartition, Offset) override {}
  void on_bounds(TopicPartition, const Result<Bounds>&) override {}
  void on_membership(PartitionId, bool) override {}
  void on_deleted(TopicPartition, const Status&) override {}

  Log& log_;
  const std::unique_ptr<LogSession> session_;

  std::mutex mutex_;
  std::vector<std::string> names_;  // index: TopicId
  Handed handed_;

  // Only the polling thread.
  std::unordered_map<std::int32_t, Topic> topics_;
  std::deque<Waiting> waiting_;
  std::unordered_map<Ticket, PartitionId> in_flight_;
  ProduceListener* listener_ = nullptr;  // the argument of the current poll
};

// -- Any thread

TopicId EmbeddedProduceClient::topic(std::string_view name) {
  const std::lock_guard lock(mutex_);
  const auto same = std::find(names_.begin(), names_.end(), name);
  const auto index = std::distance(names_.begin(), same);
  if (same == names_.end()) names_.emplace_back(name);
  return TopicId{static_cast<std::int32_t>(index)};
}

// Wakes the polling thread only for the first entry: that thread takes everything that is there.
template <typename Change>
void EmbeddedProduceClient::hand(Change change) {
  bool first = false;
  {
    const std::lock_guard lock(mutex_);
    first = handed_.empty();
    change(handed_);
  }
  if (first) session_->wake();
}

void EmbeddedProduceClient::open(TopicId topic) {
  hand([&](Handed& handed) { handed.opens.push_back(topic); });
}

void EmbeddedProduceClient::purge() {
  hand([](Handed& handed) { handed.purge = true; });
}

Produced EmbeddedProduceClient::produce(TopicId topic, const NewRecord& record, Ticket ticket) {
  Waiting copy{topic, std::string(*record.key), std::string(*record.value), {}, ticket};
  for (const HeaderView& header : record.headers) copy.headers.push_back(copy_of(header));
  hand([&](Handed& handed) { handed.records.push_back(std::move(copy)); });
  return {};
}

// -- The polling thread

void EmbeddedProduceClient::poll(ProduceListener& listener, std::chrono::milliseconds at_most) {
  listener_ = &listener;
  take_handed(listener);
  append_waiting();
  session_->wait(at_most);
  session_->poll(*this);
}

void EmbeddedProduceClient::take_handed(ProduceListener& listener) {
  Handed handed;
  {
    const std::lock_guard lock(mutex_);
    std::swap(handed, handed_);
  }
  std::move(handed.records.begin(), handed.records.end(), std::back_inserter(waiting_));
  for (const TopicId topic : handed.opens) answer_open(topic, listener);
  // Last, because a purge covers the records that were passed on before it.
  if (handed.purge) fail_all(listener);
}

std::string EmbeddedProduceClient::name_of(TopicId topic) {
  const std::lock_guard lock(mutex_);
  return names_[static_cast<std::size_t>(topic.value)];
}

void EmbeddedProduceClient::answer_open(TopicId topic, ProduceListener& listener) {
  listener.on_opened(topic, look_up(topic));
}

Opened EmbeddedProduceClient::look_up(TopicId topic) {
  const std::string name = name_of(topic);
  const auto found = log_.describe(name);
  if (!found) return {.error = OpenError::kTemporary, .detail = found.error().message};
  if (!found->exists) {
    return {.error = OpenError::kMissing, .detail = "topic " + name + " does not exist"};
  }
  topics_[topic.value] = {session_->topic(name), found->partitions};
  return {.partitions = found->partitions, .error = {}, .detail = {}};
}

void EmbeddedProduceClient::append_waiting() {
  // Stops at the first record without room, because those behind it must not overtake it.
  while (!waiting_.empty() && append(waiting_.front())) waiting_.pop_front();
}

// False: the session has no room at the moment.
bool EmbeddedProduceClient::append(const Waiting& record) {
  const auto topic = topics_.find(record.topic.value);
  PENSTOCK_CHECK(topic != topics_.end(), "records are produced only to topics that were opened");
  std::vector<HeaderView> headers;
  for (const Header& header : record.headers) headers.push_back(view_of(header));
  const PartitionId partition = partition_of(record.key, topic->second.partitions);
  const NewRecord copy{.key = record.key, .value = record.value, .headers = headers};
  if (!session_->append(Lane::kOutbox, {topic->second.of_session, partition}, copy,
                        record.ticket)) {
    return false;
  }
  in_flight_.emplace(record.ticket, partition);
  return true;
}

void EmbeddedProduceClient::fail_all(ProduceListener& listener) {
  // First: from here on there is no on_appended for the tickets that are forgotten below.
  session_->renew(Lane::kOutbox);
  const auto in_flight = std::exchange(in_flight_, {});
  const auto waiting = std::exchange(waiting_, {});
  for (const auto& [ticket, partition] : in_flight) {
    listener.on_delivered(ticket, {.partition = partition, .offset = {}, .error = "given up"});
  }
  for (const Waiting& record : waiting) {
    listener.on_delivered(record.ticket, {.offset = {}, .error = "given up", .never_sent = true});
  }
}

void EmbeddedProduceClient::on_appended(Lane, Ticket ticket, const Appended& result) {
  const auto found = in_flight_.find(ticket);
  PENSTOCK_CHECK(found != in_flight_.end(), "an answer to an append that was not made");
  Delivered delivered{.partition = found->second, .offset = result.offset, .error = {}};
  if (result.error) delivered.error = *result.error;
  in_flight_.erase(found);
  listener_->on_delivered(ticket, delivered);
}

void EmbeddedProduceClient::on_connection(bool connected, std::string_view detail) {
  if (!connected) listener_->on_trouble(detail);
}

}  // namespace
}  // namespace embedded

Result<std::unique_ptr<ProduceClient>> open_embedded_produce_client(Log& log) {
  auto session = log.open({.client_id = "penstock-producer", .instance_id = {}});
  if (!session) return tl::unexpected(session.error());
  return std::make_unique<embedded::EmbeddedProduceClient>(log, *std::move(session));
}

}  // namespace penstock
