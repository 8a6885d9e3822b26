// penstock::Producer sends jobs to Penstock's queues on Kafka.
//
//   penstock::Producer producer({.brokers = "127.0.0.1:9092"});
//   auto sent = producer.enqueue({.queue = "mail", .type = "webhook.send", .account = "acme",
//                                 .args = {{"segment_id", 7}}});
//   sent.get();  // the job's id, once Kafka has acknowledged it; throws a ProducerError otherwise
//
// What always holds:
//  - A job is checked by the very rules that admit it, before it is sent: what a worker would
//  refuse is a
//    BadJob here.
//  - Each job ends in exactly one answer: acknowledged by every in-sync replica, or a failure.
//  After
//    GaveUp the job may or may not be in the queue; sending it again with the same id is safe, as
//    workers drop duplicates.
//  - Jobs of one account to one queue are sent in the order of their calls.
//  - It holds at most `buffer_messages` jobs and `buffer_bytes` bytes; a job beyond that is
//  BufferFull, at
//    once, and was not sent. wait_for_space() waits for room.
//
// Every call is safe from any thread. Callbacks run on the producer's own thread (or, for a job
// that is refused at once, inside the call): they must not block, throw, or call flush() or
// wait_for_space().
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <future>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace penstock {

class JobSender;

struct ProducerOptions {
  std::string brokers = {};  // "host:port,host:port"
  std::string prefix = "penstock";
  std::map<std::string, std::string> properties = {};  // any librdkafka property, passed through
  std::size_t buffer_messages = 100'000;
  std::size_t buffer_bytes = 256u << 20;
  // How long a job may wait for its acknowledgement. Kafka may hold one back for 12 s when a broker
  // dies, so give it no less than 30 s.
  std::chrono::milliseconds delivery_timeout{60'000};
  // Told of trouble that the producer goes on from by itself (a broker that is away), one line
  // each, on the producer's own thread.
  std::function<void(std::string_view)> on_trouble = {};
};

// A chunk of a bulk (docs: job record).
struct NewBulk {
  std::string id = {};
  std::int64_t index = 0;
  std::int64_t size = 1;
  nlohmann::json on_done = nullptr;  // a job record, or null
};

struct NewJob {
  std::string queue = {};
  std::string type = {};
  std::string account = {};
  std::string id = {};  // empty: a UUIDv7 is made
  nlohmann::json args = nlohmann::json::object();
  std::optional<std::chrono::system_clock::time_point> run_at = {};
  std::optional<std::chrono::system_clock::time_point> expires_at = {};
  int priority = 0;
  int weight = 1;
  std::optional<NewBulk> bulk = {};
  std::optional<std::string> unique_key = {};
  nlohmann::json meta = nullptr;  // an object, or null
  std::vector<std::pair<std::string, std::string>> headers = {};
};

// A large action to be split into chunks: jobs of `chunk` items each, which the queue runs as one
// bulk.
//
// Chunk n is the job "<bulk>/<n>", and which items it has follows from how many a chunk has: an
// action that is sent again must be split as it was the first time, or items are lost with the
// chunks that are dropped as duplicates. So keep items_a_chunk() beside the id where `item_time` is
// given (the figure changes), and to send the action again set `chunk` to it and no `item_time`.
struct NewBulkAction {
  // What the chunks have in common. Chunk n is given the id "<bulk>/<n>", and beside `args` (an
  // object) the member "items" with its share; `bulk` and `id` are left empty.
  NewJob job = {};
  // The bulk's; empty: a UUIDv7 is made. The same id, items and items_a_chunk() again make the same
  // jobs again.
  std::string id = {};
  std::vector<nlohmann::json> items = {};
  std::size_t chunk = 100;  // items a job
  // How long an item takes, as a worker has measured it (`item_ms` of GET /v1/queues/{q}): then
  // `chunk` is not looked at, and a chunk has as many items as take about kChunkLasts, at most
  // kMostAutoItems.
  std::optional<std::chrono::microseconds> item_time = {};
  static constexpr std::chrono::seconds kChunkLasts{5};
  static constexpr std::size_t kMostAutoItems = 10'000;
  nlohmann::json on_done =
      nullptr;  // a job record that is produced when all chunks have ended, or null

  // How many items a chunk is given, by `item_time` or `chunk`; 0 where `chunk` is.
  [[nodiscard]] std::size_t items_a_chunk() const;
};

struct Sent {
  std::string id;
  std::int32_t partition = -1;
  std::optional<std::int64_t> offset;  // absent: acknowledged, but Kafka did not say where
};

enum class FailureReason : std::uint8_t {
  kBadJob,      // refused: breaks a rule of the job record
  kBufferFull,  // refused: the producer's buffer is full
  kGaveUp,      // not acknowledged in time, or refused by Kafka
  kBadOptions,  // the producer itself could not be made
};

struct Failure {
  FailureReason reason = FailureReason::kGaveUp;
  std::string
      member;  // of a bad job: JSON pointer of the member at fault, "" for the whole or the key
  std::string message;  // one line for a person: what happened and what to do
};

// What a callback is given: `sent` when there is no failure (its id is set either way, when known).
struct Delivery {
  Sent sent;
  std::optional<Failure> failure;
};
using DeliveryCallback = std::function<void(const Delivery&)>;

class ProducerError : public std::runtime_error {
 public:
  explicit ProducerError(Failure failure)
      : std::runtime_error(failure.message), failure_(std::move(failure)) {}
  [[nodiscard]] FailureReason reason() const { return failure_.reason; }
  [[nodiscard]] const std::string& member() const { return failure_.member; }

 private:
  Failure failure_;
};
class BadJob : public ProducerError {
 public:
  using ProducerError::ProducerError;
};
class BufferFull : public ProducerError {
 public:
  using ProducerError::ProducerError;
};
class GaveUp : public ProducerError {
 public:
  using ProducerError::ProducerError;
};

class Producer {
 public:
  // Throws ProducerError (kBadOptions) on options that cannot be. Kafka need not be there yet.
  explicit Producer(ProducerOptions options);
  // For logs other than Kafka, and for tests.
  explicit Producer(std::unique_ptr<JobSender> sender);
  // Waits for what is unacknowledged, up to the delivery time-out; what is left then ends as
  // GaveUp.
  ~Producer();
  Producer(Producer&&) noexcept;
  Producer& operator=(Producer&&) noexcept;

  // The future holds a ProducerError (BadJob, BufferFull, GaveUp) when it could not be done.
  [[nodiscard]] std::future<Sent> enqueue(const NewJob& job);
  void enqueue(const NewJob& job, DeliveryCallback done);
  // One future a job, in their order; each stands for itself.
  [[nodiscard]] std::vector<std::future<Sent>> enqueue(const std::vector<NewJob>& jobs);

  // Sends the action's chunks: one future a chunk, or a single one with a BadJob when any of them
  // is bad, and then none was sent. Waits while the buffer is full. When a chunk was not
  // acknowledged, the same action with the same id and the same items_a_chunk() may be sent again:
  // what has come already is dropped as a duplicate.
  [[nodiscard]] std::vector<std::future<Sent>> bulk(const NewBulkAction& action);

  // Sends a job record or command that is already JSON, without `queue` and `account`, byte for
  // byte; only an id is put in when it has none. The lean way for gateways and bulk loading.
  void send_raw(std::string_view queue, std::string_view account, std::string_view value,
                DeliveryCallback done);

  // Waits until nothing is unanswered; false after `timeout`.
  bool flush(std::chrono::milliseconds timeout);
  // True when another job of up to `bytes` fits into the buffer; false after `timeout`.
  bool wait_for_space(std::size_t bytes, std::chrono::milliseconds timeout);

 private:
  std::unique_ptr<JobSender> sender_;
};

}  // namespace penstock
