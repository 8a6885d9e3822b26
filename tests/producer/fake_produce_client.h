// A ProduceClient in memory: what is produced lies in a list until the test acknowledges it.
// Answers come from poll(), as from the real one.
#pragma once

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

}  // namespace penstock
