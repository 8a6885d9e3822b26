// penstock::Producer sends jobs to Penstock's queues on Kafka.
//
//   penstock::Producer producer({.brokers = "127.0.0.1:9092"});
//   auto sent = producer.enqueue({.queue = "mail", .type = "webhook.send", .account = "acme",
//                                 .args = {{"segment_id", 7}}});
//   sent.get();  // the job's id, once Kafka has acknowledged it; throws a ProducerError otherwise
//
// What always holds:
// - A job is checked before it is sent, by the rules that a worker applies when it admits the job.
//   A job that a worker would refuse is a BadJob here.
// - Each job gets exactly one answer: either every in-sync replica has acknowledged it, or it has
//   failed. After GaveUp the job may or may not be in the queue; it is safe to send it again with
//   the same id, because workers drop duplicates.
// - Jobs of one account in one queue are sent in the order of the calls.
// - At most `buffer_messages` jobs and `buffer_bytes` bytes are unanswered at any time. A further
//   job fails at once with BufferFull and is not sent; wait_for_space() waits until there is room.
//
// Every function may be called from any thread. Callbacks run on the producer's own thread (or, for
// a job that is refused at once, inside the call): they must not block, throw, or call flush() or
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
  // How long a job may wait for its acknowledgement. When a broker crashes, Kafka can
  // withhold acknowledgements for 12 s, so allow at least 30 s.
  std::chrono::milliseconds delivery_timeout{60'000};
  // Called on the producer's own thread, with one line of text, when something is wrong that the
  // producer recovers from by itself (such as an unreachable broker).
  std::function<void(std::string_view)> on_trouble = {};
};

// Makes the job a chunk of a bulk (docs/job-record.md).
struct NewBulk {
  std::string id = {};               // of the bulk
  std::int64_t index = 0;            // of this chunk, from 0 to size - 1
  std::int64_t size = 1;             // the number of chunks
  nlohmann::json on_done = nullptr;  // a job record, or null
};

// A job to be sent; docs/job-record.md describes the members. They are in the same order as those
// of JobRequest (penstock/worker.h).
struct NewJob {
  std::string queue = {};
  std::string type = {};     // what the job does; selects its policy and handler
  std::string account = {};  // the tenant or customer that the job belongs to
  std::string id = {};       // empty: the producer assigns a UUIDv7
  nlohmann::json args = nlohmann::json::object();
  // The job does not start before `run_at`, and expires if it has not started by `expires_at`.
  std::optional<std::chrono::system_clock::time_point> run_at = {};
  std::optional<std::chrono::system_clock::time_point> expires_at = {};
  int priority = 0;  // lower runs first
  int weight = 1;    // 1 to 100: the share of its bulk or account under order fair
  std::optional<NewBulk> bulk = {};
  std::optional<std::string> unique_key = {};  // instead of the arguments, for types with `unique`
  nlohmann::json meta = nullptr;               // an object, or null
  std::vector<std::pair<std::string, std::string>> headers = {};
};

// A large action that the producer splits into chunks: jobs with `chunk` items each, which the
// queue runs as one bulk.
//
// Chunk n is the job "<bulk>/<n>". Which items it contains depends on the number of items per
// chunk, so an action that is sent again must be split in the same way; otherwise items are lost
// with the chunks that are dropped as duplicates. With `item_time` that number changes over time:
// store items_per_chunk() together with the id, and to send the action again, set `chunk` to the
// stored number and leave `item_time` empty.
struct NewBulkAction {
  // What the chunks have in common. Chunk n gets the id "<bulk>/<n>", and its share of the items
  // becomes the member "items" of `args` (which must be an object). Leave `bulk` and `id` empty.
  NewJob job = {};
  // The bulk's id; if it is empty, the producer assigns a UUIDv7. The same id, items and
  // items_per_chunk() produce the same jobs again.
  std::string id = {};
  std::vector<nlohmann::json> items = {};
  std::size_t chunk = 100;  // items per job
  // How long one item takes, as measured by a worker (`item_ms` of GET /v1/queues/{q}). If it is
  // set, `chunk` is ignored: a chunk gets as many items as take about kTargetChunkDuration, but at
  // most kMaxAutoItems.
  std::optional<std::chrono::microseconds> item_time = {};
  static constexpr std::chrono::seconds kTargetChunkDuration{5};
  static constexpr std::size_t kMaxAutoItems = 10'000;
  // A job record that is produced when all chunks have ended, or null.
  nlohmann::json on_done = nullptr;

  // The number of items per chunk, computed from `item_time` or taken from `chunk`; 0 if `chunk` is
  // 0.
  [[nodiscard]] std::size_t items_per_chunk() const;
};

struct Sent {
  std::string id;
  std::int32_t partition = -1;
  std::optional<std::int64_t> offset;  // absent: acknowledged, but Kafka did not say where
};

enum class FailureReason : std::uint8_t {
  kBadJob,      // refused: it breaks a rule of the job record
  kBufferFull,  // refused: the producer's buffer is full
  kGaveUp,      // not acknowledged in time, or refused by Kafka
  kBadOptions,  // the producer could not be created
};

struct Failure {
  FailureReason reason = FailureReason::kGaveUp;
  // Of a bad job: JSON pointer to the member at fault; "" for the whole record or its key.
  std::string member;
  std::string message;  // one line for a person: what happened and what to do
};

// The argument of a callback. Without a failure, `sent` describes the job; its id is set in either
// case if it is known.
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
  // Throws ProducerError (kBadOptions) if the options are invalid. Kafka need not be reachable yet.
  explicit Producer(ProducerOptions options);
  // For logs other than Kafka, and for tests.
  explicit Producer(std::unique_ptr<JobSender> sender);
  // Waits for outstanding acknowledgements, up to the delivery timeout; jobs that are still
  // unacknowledged then end as GaveUp.
  ~Producer();
  Producer(Producer&&) noexcept;
  Producer& operator=(Producer&&) noexcept;

  // On failure, the future holds a ProducerError (BadJob, BufferFull or GaveUp).
  [[nodiscard]] std::future<Sent> enqueue(const NewJob& job);
  void enqueue(const NewJob& job, DeliveryCallback done);
  // Returns one future per job, in the same order. Each job succeeds or fails on its own.
  [[nodiscard]] std::vector<std::future<Sent>> enqueue(const std::vector<NewJob>& jobs);

  // Sends the action's chunks and returns one future per chunk. If any chunk is bad, none is sent
  // and the result is a single future that holds the BadJob. Waits while the buffer is full. If a
  // chunk was not acknowledged, send the same action again with the same id and the same
  // items_per_chunk(): the chunks that did arrive are dropped as duplicates.
  [[nodiscard]] std::vector<std::future<Sent>> bulk(const NewBulkAction& action);

  // Sends a job record or command that is already JSON (without `queue` and `account`) byte for
  // byte; an id is added only if it has none. This is the fast path for gateways and bulk loading.
  void send_raw(std::string_view queue, std::string_view account, std::string_view value,
                DeliveryCallback done);
  // The same with headers: names and values.
  void send_raw(std::string_view queue, std::string_view account, std::string_view value,
                const std::vector<std::pair<std::string, std::string>>& headers,
                DeliveryCallback done);

  // Waits until every job has been answered. Returns false after `timeout`.
  bool flush(std::chrono::milliseconds timeout);
  // Waits until the buffer has room for another job of `bytes`. Returns false after `timeout`.
  bool wait_for_space(std::size_t bytes, std::chrono::milliseconds timeout);

 private:
  std::unique_ptr<JobSender> sender_;
};

}  // namespace penstock
