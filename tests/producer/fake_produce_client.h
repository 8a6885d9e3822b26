// A ProduceClient in memory: what is produced lies in a list until the test acknowledges it.
// Answers come from poll(), as from the real one.
#pragma once

#include <gtest/gtest.h>

#include <condition_variable>
#include <deque>
#include <mutex>
#include <string>
#include <vector>

#include "topics/produce_client.h"

namespace penstock {

struct FakeRecord {
  TopicId topic;
  std::string key;
  std::string value;
  std::vector<Header> headers;
  Ticket ticket = 0;
};

// What the test and the client share; it outlives the client, which belongs to the sender under
// test.
class FakeLog {
 public:
  // How topics answer when they are opened, until it is changed.
  void set_opened(Opened opened);
  // True: every record is acknowledged by itself.
  void set_acknowledging(bool on);
  void set_taken(Produced produced);

  // Acknowledges, or fails, the oldest unanswered record.
  void answer_next(Delivered result);
  void complain(std::string detail);

  // Blocks until this many records have been produced in all, or opens asked for.
  [[nodiscard]] std::vector<FakeRecord> wait_for_records(std::size_t count);
  void wait_for_opens(std::size_t count);
  [[nodiscard]] std::vector<std::string> topics();
  [[nodiscard]] std::size_t produced();

 private:
  friend class FakeProduceClient;

  struct Event {
    enum class Kind { kDelivered, kOpened, kTrouble } kind;
    Ticket ticket = 0;
    TopicId topic;
    Delivered delivered;
    Opened opened;
    std::string text;
  };
  void push(Event event);
  void acknowledge(Ticket ticket);

  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<std::string> topics_;
  std::vector<FakeRecord> records_;
  std::deque<Ticket> unanswered_;
  std::deque<Event> events_;
  std::size_t opens_ = 0;
  bool acknowledging_ = false;
  bool woken_ = false;
  std::int64_t next_offset_ = 0;
  Opened opened_{.partitions = 12, .error = {}, .detail = {}};
  Produced produced_;
};

class FakeProduceClient final : public ProduceClient {
 public:
  explicit FakeProduceClient(FakeLog& log) : log_(log) {}

  TopicId topic(std::string_view name) override;
  void open(TopicId topic) override;
  Produced produce(TopicId topic, const NewRecord& record, Ticket ticket) override;
  void purge() override;
  void poll(ProduceListener& listener, std::chrono::milliseconds at_most) override;
  void wake() override;

 private:
  FakeLog& log_;
};

inline constexpr std::chrono::seconds kTestPatience{20};

inline void FakeLog::set_opened(Opened opened) {
  const std::lock_guard lock(mutex_);
  opened_ = std::move(opened);
}

inline void FakeLog::set_acknowledging(bool on) {
  const std::lock_guard lock(mutex_);
  acknowledging_ = on;
}

inline void FakeLog::set_taken(Produced produced) {
  const std::lock_guard lock(mutex_);
  produced_ = produced;
}

inline void FakeLog::push(Event event) {
  events_.push_back(std::move(event));
  changed_.notify_all();
}

inline void FakeLog::acknowledge(Ticket ticket) {
  push({.kind = Event::Kind::kDelivered,
        .ticket = ticket,
        .topic = {},
        .delivered =
            {.partition = 3, .offset = Offset{next_offset_++}, .error = {}, .never_sent = false},
        .opened = {},
        .text = {}});
}

inline void FakeLog::answer_next(Delivered result) {
  const std::lock_guard lock(mutex_);
  ASSERT_FALSE(unanswered_.empty());
  const auto ticket = unanswered_.front();
  unanswered_.pop_front();
  push({.kind = Event::Kind::kDelivered,
        .ticket = ticket,
        .topic = {},
        .delivered = result,
        .opened = {},
        .text = {}});
}

inline void FakeLog::complain(std::string detail) {
  const std::lock_guard lock(mutex_);
  push({.kind = Event::Kind::kTrouble,
        .ticket = 0,
        .topic = {},
        .delivered = {},
        .opened = {},
        .text = std::move(detail)});
}

inline std::vector<FakeRecord> FakeLog::wait_for_records(std::size_t count) {
  std::unique_lock lock(mutex_);
  EXPECT_TRUE(changed_.wait_for(lock, kTestPatience, [&] { return records_.size() >= count; }));
  return records_;
}

inline void FakeLog::wait_for_opens(std::size_t count) {
  std::unique_lock lock(mutex_);
  EXPECT_TRUE(changed_.wait_for(lock, kTestPatience, [&] { return opens_ >= count; }));
}

inline std::vector<std::string> FakeLog::topics() {
  const std::lock_guard lock(mutex_);
  return topics_;
}

inline std::size_t FakeLog::produced() {
  const std::lock_guard lock(mutex_);
  return records_.size();
}

inline TopicId FakeProduceClient::topic(std::string_view name) {
  const std::lock_guard lock(log_.mutex_);
  log_.topics_.emplace_back(name);
  return TopicId{static_cast<std::int32_t>(log_.topics_.size() - 1)};
}

inline void FakeProduceClient::open(TopicId topic) {
  const std::lock_guard lock(log_.mutex_);
  ++log_.opens_;
  log_.push({.kind = FakeLog::Event::Kind::kOpened,
             .ticket = 0,
             .topic = topic,
             .delivered = {},
             .opened = log_.opened_,
             .text = {}});
}

inline Produced FakeProduceClient::produce(TopicId topic, const NewRecord& record, Ticket ticket) {
  const std::lock_guard lock(log_.mutex_);
  if (log_.produced_.taken != Taken::kYes) return log_.produced_;
  FakeRecord copy{topic, std::string(*record.key), std::string(*record.value), {}, ticket};
  for (const HeaderView& header : record.headers) copy.headers.push_back(copy_of(header));
  log_.records_.push_back(std::move(copy));
  log_.changed_.notify_all();
  if (log_.acknowledging_) {
    log_.acknowledge(ticket);
  } else {
    log_.unanswered_.push_back(ticket);
  }
  return {};
}

inline void FakeProduceClient::purge() {
  const std::lock_guard lock(log_.mutex_);
  for (const auto ticket : log_.unanswered_) {
    log_.push({.kind = FakeLog::Event::Kind::kDelivered,
               .ticket = ticket,
               .topic = {},
               .delivered = {.partition = -1, .offset = {}, .error = "purged", .never_sent = false},
               .opened = {},
               .text = {}});
  }
  log_.unanswered_.clear();
}

inline void FakeProduceClient::poll(ProduceListener& listener, std::chrono::milliseconds at_most) {
  std::deque<FakeLog::Event> events;
  {
    std::unique_lock lock(log_.mutex_);
    log_.changed_.wait_for(lock, at_most, [&] { return log_.woken_ || !log_.events_.empty(); });
    log_.woken_ = false;
    events.swap(log_.events_);
  }
  for (const auto& event : events) {
    switch (event.kind) {
      case FakeLog::Event::Kind::kDelivered:
        listener.on_delivered(event.ticket, event.delivered);
        break;
      case FakeLog::Event::Kind::kOpened:
        listener.on_opened(event.topic, event.opened);
        break;
      case FakeLog::Event::Kind::kTrouble:
        listener.on_trouble(event.text);
        break;
    }
  }
}

inline void FakeProduceClient::wake() {
  const std::lock_guard lock(log_.mutex_);
  log_.woken_ = true;
  log_.changed_.notify_all();
}

}  // namespace penstock
