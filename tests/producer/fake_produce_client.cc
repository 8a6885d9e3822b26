#include "tests/producer/fake_produce_client.h"

#include <gtest/gtest.h>

namespace penstock {

inline constexpr std::chrono::seconds kTestPatience{20};

void FakeLog::set_opened(Opened opened) {
  const std::lock_guard lock(mutex_);
  opened_ = std::move(opened);
}

void FakeLog::set_acknowledging(bool on) {
  const std::lock_guard lock(mutex_);
  acknowledging_ = on;
}

void FakeLog::set_taken(Produced produced) {
  const std::lock_guard lock(mutex_);
  produced_ = produced;
}

void FakeLog::push(Event event) {
  events_.push_back(std::move(event));
  changed_.notify_all();
}

void FakeLog::acknowledge(Ticket ticket) {
  push({.kind = Event::Kind::kDelivered,
        .ticket = ticket,
        .topic = {},
        .delivered =
            {.partition = 3, .offset = Offset{next_offset_++}, .error = {}, .never_sent = false},
        .opened = {},
        .text = {}});
}

void FakeLog::answer_next(Delivered result) {
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

void FakeLog::complain(std::string detail) {
  const std::lock_guard lock(mutex_);
  push({.kind = Event::Kind::kTrouble,
        .ticket = 0,
        .topic = {},
        .delivered = {},
        .opened = {},
        .text = std::move(detail)});
}

std::vector<FakeRecord> FakeLog::wait_for_records(std::size_t count) {
  std::unique_lock lock(mutex_);
  EXPECT_TRUE(changed_.wait_for(lock, kTestPatience, [&] { return records_.size() >= count; }));
  return records_;
}

void FakeLog::wait_for_opens(std::size_t count) {
  std::unique_lock lock(mutex_);
  EXPECT_TRUE(changed_.wait_for(lock, kTestPatience, [&] { return opens_ >= count; }));
}

std::vector<std::string> FakeLog::topics() {
  const std::lock_guard lock(mutex_);
  return topics_;
}

std::size_t FakeLog::produced() {
  const std::lock_guard lock(mutex_);
  return records_.size();
}

TopicId FakeProduceClient::topic(std::string_view name) {
  const std::lock_guard lock(log_.mutex_);
  log_.topics_.emplace_back(name);
  return TopicId{static_cast<std::int32_t>(log_.topics_.size() - 1)};
}

void FakeProduceClient::open(TopicId topic) {
  const std::lock_guard lock(log_.mutex_);
  ++log_.opens_;
  log_.push({.kind = FakeLog::Event::Kind::kOpened,
             .ticket = 0,
             .topic = topic,
             .delivered = {},
             .opened = log_.opened_,
             .text = {}});
}

Produced FakeProduceClient::produce(TopicId topic, const NewRecord& record, Ticket ticket) {
  const std::lock_guard lock(log_.mutex_);
  if (log_.produced_.taken != Taken::kYes) return log_.produced_;
  FakeRecord copy{topic, std::string(*record.key), std::string(*record.value), {}, ticket};
  for (const auto& [name, value] : record.headers) {
    copy.headers.push_back({std::string(name), std::string(value)});
  }
  log_.records_.push_back(std::move(copy));
  log_.changed_.notify_all();
  if (log_.acknowledging_) {
    log_.acknowledge(ticket);
  } else {
    log_.unanswered_.push_back(ticket);
  }
  return {};
}

void FakeProduceClient::purge() {
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

void FakeProduceClient::poll(ProduceListener& listener, std::chrono::milliseconds at_most) {
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

void FakeProduceClient::wake() {
  const std::lock_guard lock(log_.mutex_);
  log_.woken_ = true;
  log_.changed_.notify_all();
}

}  // namespace penstock
