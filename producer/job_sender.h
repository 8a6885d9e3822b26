// The implementation of Producer: checks each job, bounds the number of unanswered jobs, waits
// until a topic is safe to produce to, and turns the log's results into answers. A ProduceClient
// hides the log, which may be Kafka, the embedded log or a test's.
//
// Every public function may be called from any thread. The sender's own thread polls the client and
// gives the answers.
#pragma once

#include <atomic>
#include <memory>
#include <shared_mutex>
#include <span>
#include <thread>
#include <unordered_map>
#include <vector>

#include "producer/answer.h"
#include "producer/held_records.h"
#include "producer/send_buffer.h"
#include "producer/unanswered.h"
#include "topics/produce_client.h"

namespace penstock {

inline constexpr std::size_t kMaxQueuesPerProducer = 4096;

struct JobSenderOptions {
  std::string prefix = "penstock";
  std::size_t buffer_messages = 100'000;
  std::size_t buffer_bytes = 256u << 20;
  std::chrono::milliseconds delivery_timeout{60'000};
  std::function<void(std::string_view)> on_trouble = {};
};

struct SendQueue {
  std::string name;
  std::string topic_name;
  TopicId topic;
  HeldRecords held;
};

class JobSender final : private ProduceListener {
 public:
  JobSender(std::unique_ptr<ProduceClient> client, JobSenderOptions options);
  // Waits for unanswered jobs up to the delivery timeout, then gives up on them.
  ~JobSender() override;

  // `value` is a job record or command as JSON; if it has no id, one is added.
  void send(std::string_view queue, std::string_view account, std::string_view value,
            std::span<const HeaderView> headers, DeliveryAnswer answer);

  [[nodiscard]] SendBuffer& buffer() { return buffer_; }

 private:
  using Pending = std::unique_ptr<Unanswered>;
  using Queue = SendQueue;

  void on_delivered(Ticket ticket, const Delivered& result) override;
  void on_opened(TopicId topic, const Opened& result) override;
  void on_trouble(std::string_view detail) override;

  [[nodiscard]] Result<Queue*> find_queue(std::string_view name);
  [[nodiscard]] Result<Queue*> add_queue(std::string_view name);
  [[nodiscard]] Queue& queue_of(TopicId topic);

  void hold(Pending pending, const NewRecord& record);
  void produce(Pending pending, const NewRecord& record);
  void succeed(Pending pending, const Delivered& result);
  void fail(Pending pending, FailureReason reason, std::string message);
  void fail_all(std::deque<HeldRecord> records, std::string_view why);
  void open(Queue& queue);

  void run(const std::stop_token& stop);
  void tend_closed();
  void tend(Queue& queue, Steady::time_point now);
  [[nodiscard]] std::string trouble() const;

  const JobSenderOptions options_;
  const std::unique_ptr<ProduceClient> client_;
  SendBuffer buffer_;
  UnansweredPool pool_;

  std::shared_mutex queues_mutex_;
  std::unordered_map<std::string_view, Queue*> queues_by_name_;  // views of Queue::name
  std::vector<std::unique_ptr<Queue>> queues_;
  std::atomic<Queue*> last_queue_ = nullptr;  // the queue of the last send, found without a lock
  std::atomic<std::size_t> closed_queues_ = 0;

  // Used only by the sender's thread.
  std::string last_trouble_;
  std::vector<Pending> answered_;
  Delivery delivery_;

  std::atomic<bool> giving_up_ = false;
  std::jthread thread_;  // last: it uses the other members
};

}  // namespace penstock
