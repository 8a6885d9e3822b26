// Penstock's worker as a library: runs jobs from Kafka with handlers written in C++.
//
//   penstock::Worker worker({.config = "penstock.json"});
//   worker.handle("webhook.send", [](penstock::Attempt& attempt) -> penstock::Outcome {
//     const auto response = post(attempt.args().at("url"), attempt.token());
//     if (response.status == 429) return penstock::snooze(response.retry_after);
//     if (response.status >= 300) {
//       return penstock::retry("status " + std::to_string(response.status));
//     }
//     return penstock::done();
//   });
//   return worker.run();  // until SIGTERM
//
// The worker's threads run several handlers at the same time, so handlers must synchronize access
// to the data that they share. If a handler throws an exception, the attempt is a retry: its error
// is the exception's text and the error's name is the exception's type. AttemptLost and
// AttemptStopped are different (see below).
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace penstock {

// How an attempt ended. Use the functions below to create one.
struct Outcome {
  enum class Kind { kDone, kNext, kRetry, kSnooze, kDiscard, kCancel };
  Kind kind = Kind::kDone;
  std::string reason = {};                           // of kRetry, kDiscard and kCancel
  std::optional<std::chrono::milliseconds> in = {};  // of kSnooze, and of kRetry if given
  nlohmann::json cursor = {};                        // of kNext
  std::string error_name = {};                       // of kRetry
  std::string raw_cursor = {};  // of kNext: JSON text, used instead of `cursor` unless empty
};

// The job has succeeded.
[[nodiscard]] Outcome done();
// One iteration has ended; the next one gets this cursor.
[[nodiscard]] Outcome next(nlohmann::json cursor);
// The same with JSON text, which is preserved byte for byte. nlohmann::json holds 64-bit integers
// exactly and every other number as the nearest double, so 18446744073709551616, 1.10 and long
// decimals would come back changed. Throws std::invalid_argument if the text is not JSON.
[[nodiscard]] Outcome next_raw(std::string cursor);
// The attempt has failed. The next one starts after the policy's backoff, or after the given time
// (at most a hundred years). The policy's `retry_on` and `discard_on` match errors by `name`.
[[nodiscard]] Outcome retry(std::string error,
                            std::optional<std::chrono::milliseconds> in = std::nullopt,
                            std::string name = {});
// Not now: the job runs again after the given time (at least a second, at most a hundred years) and
// uses up no attempt.
[[nodiscard]] Outcome snooze(std::chrono::milliseconds in);
// The job can never succeed: it goes dead with this reason.
[[nodiscard]] Outcome discard(std::string reason);
// The job is no longer wanted: it ends as cancelled.
[[nodiscard]] Outcome cancel(std::string reason);

// AttemptLost and AttemptStopped tell a handler to return. Neither derives from std::exception, so
// a handler's own `catch (const std::exception&)` does not catch them. If a handler catches them
// anyway, nothing that it does afterwards counts: its outcome, the jobs that it enqueues and the
// outcomes that it sets for items are ignored, and heartbeat(), progress() and checkpoint() throw
// again.

// Thrown by heartbeat(), progress() and checkpoint() when the attempt no longer belongs to this
// process: it has timed out, or its partition has moved to another worker.
class AttemptLost {
 public:
  [[nodiscard]] const char* what() const noexcept { return "the attempt has been lost"; }
};

// Thrown by checkpoint(), after it has saved the cursor, when the attempt has been asked to stop.
// No attempt is used up. The job continues from that cursor, in another worker if this one is
// stopping.
class AttemptStopped {
 public:
  [[nodiscard]] const char* what() const noexcept {
    return "the attempt has stopped at its checkpoint";
  }
};

// A follow-up job. An empty queue or account means that of the job which enqueues it; an empty id
// becomes `<id>/<n>`. The members are in the same order as those of NewJob (penstock/producer.h),
// which describes them.
struct JobRequest {
  std::string queue = {};
  std::string type = {};
  std::string account = {};
  std::string id = {};
  nlohmann::json args = nlohmann::json::object();
  std::string raw_args = {};  // JSON text, used instead of `args` unless empty
  std::optional<std::chrono::system_clock::time_point> run_at = {};
  std::optional<std::chrono::system_clock::time_point> expires_at = {};
  int priority = 0;  // lower runs first
  int weight = 1;
  std::optional<std::string> unique_key = {};
  nlohmann::json meta = nullptr;  // an object, or null
  std::vector<std::pair<std::string, std::string>> headers = {};
};

// What a job is that a replay has made: the copy of an earlier one. A handler that must not do
// something twice (send mail) looks at it.
struct Replay {
  std::string id;      // of the replay
  std::string of;      // the id of the job that was copied
  std::string source;  // where its record was first stored, `<topic>/<partition>/<offset>`
};

// One of the jobs that are passed to the handler together if the type's policy has `batch`.
struct Item {
  std::string id;
  nlohmann::json args;
  int attempt = 1;  // the item's own attempt number
  std::vector<std::pair<std::string, std::string>> headers = {};
  std::string raw_args = {};  // as in the record, byte for byte
  std::optional<Replay> replay = {};
};

// One run of a job's handler. It belongs to the thread that called the handler; other threads may
// call only stop_requested(), heartbeat(), enqueue() and checkpoint(), and only until the handler
// returns.
class Attempt {
 public:
  struct State;
  explicit Attempt(State& state) : state_(state) {}
  Attempt(const Attempt&) = delete;
  Attempt& operator=(const Attempt&) = delete;

  [[nodiscard]] const std::string& queue() const;
  [[nodiscard]] const std::string& id() const;
  [[nodiscard]] const std::string& type() const;
  [[nodiscard]] const std::string& account() const;
  // Throws std::logic_error if the type's policy has `batch`: use items() instead.
  [[nodiscard]] const nlohmann::json& args() const;
  // The same as text, byte for byte as in the record (see next_raw()).
  [[nodiscard]] const std::string& raw_args() const;
  // The jobs of a batch, in the queue's order; id(), attempt() and headers() are those of the
  // first. Empty if the type has no `batch`.
  [[nodiscard]] const std::vector<Item>& items() const;
  // Counted from 1. Iterations of one attempt share its number.
  [[nodiscard]] int attempt() const;
  [[nodiscard]] int max_attempts() const;
  // The fencing token. Compared as text, it is greater than the token of every earlier attempt of
  // the account.
  [[nodiscard]] const std::string& token() const;
  // The cursor of the last iteration or checkpoint; null if there is none.
  [[nodiscard]] const nlohmann::json& cursor() const;
  // The same as text, byte for byte; empty if there is none.
  [[nodiscard]] const std::string& raw_cursor() const;
  // In the record's order; a name can occur more than once.
  [[nodiscard]] const std::vector<std::pair<std::string, std::string>>& headers() const;
  // The value of the last header with that name; empty if there is none.
  [[nodiscard]] std::string_view header(std::string_view name) const;

  // Present if the job is the copy of an earlier one.
  [[nodiscard]] const std::optional<Replay>& replay() const;

  // When the attempt times out; heartbeats extend it.
  [[nodiscard]] std::chrono::steady_clock::time_point deadline() const;
  // True if the worker is stopping, the job was cancelled or the attempt is lost: finish soon.
  [[nodiscard]] bool stop_requested() const;
  // Sets the deadline to the policy's timeout from now. Throws AttemptLost, and AttemptStopped if
  // checkpoint() has thrown it before.
  void heartbeat();
  // Saves a cursor, from which the job continues after a crash or a retry, together with the jobs
  // enqueued since the last checkpoint: all or nothing. Also acts as a heartbeat. Waits while the
  // worker has yet to take over 16 earlier checkpoints or 256 KiB of them, for example because
  // Kafka accepts nothing; the timeout is suspended during that wait. Throws AttemptLost,
  // AttemptStopped, and std::length_error for a cursor of more than 256 KiB of JSON.
  void checkpoint(const nlohmann::json& cursor);
  // The same with JSON text. Also throws std::invalid_argument if the text is not JSON.
  void checkpoint_raw(std::string cursor);
  // Sets the outcome of one of items(), given by its index; the other items share what the handler
  // returns or throws. Throws std::out_of_range for a bad index, and std::invalid_argument for
  // next(), because a cursor belongs to the whole batch.
  void set_outcome(std::size_t item, Outcome outcome);
  // Reports progress, `n` of `total`, which `penstock jobs show` displays. At most ten reports per
  // second take effect, not counting the final one; further calls do nothing. Also acts as a
  // heartbeat and throws like heartbeat(); throws std::invalid_argument if a number is negative.
  void progress(std::int64_t n, std::int64_t total);
  // Enqueues a follow-up job. It is produced exactly when the next checkpoint is saved or, if there
  // is none, when the outcome is recorded; a retry produces nothing. Throws std::length_error when
  // the attempt's jobs exceed 1 MiB, overhead included (docs/handlers.md); nlohmann's type_error
  // for text that is not UTF-8; and std::invalid_argument for raw arguments that are not JSON, and
  // for headers without a name, with a name that begins with "penstock-", or above 256 KiB.
  void enqueue(JobRequest job);

 private:
  void save(std::string cursor);

  State& state_;
};

using HandlerFunction = std::function<Outcome(Attempt&)>;

struct WorkerOptions {
  std::string config = "penstock.json";  // path of the config file
  std::string brokers = {};              // overrides the file's bootstrap.servers unless empty
  std::vector<std::string> queues = {};  // queues to work on; empty: all in the file
  int concurrency = 100;                 // attempts at the same time in this process, 1 to 100,000
  // Loop threads per queue, 1 to 64, as --threads of `penstock work`. Each is a member of the group
  // with partitions of its own, and runs no handler.
  int threads = 1;
  int handler_threads = 8;  // threads that run C++ handlers, 1 to 1,024
  // How long running attempts may continue after stop() or the first signal.
  std::chrono::milliseconds grace{25'000};
  // If true, run() handles SIGTERM, SIGINT and SIGHUP, regardless of which thread receives them,
  // and ignores SIGPIPE and SIGXFSZ; it restores the earlier handling of all five when it returns.
  // If false, run() leaves signals alone and the program calls stop() itself; the program should
  // ignore SIGPIPE if standard error can be closed.
  bool handle_signals = true;
};

// One worker of the group. Call handle() before run(), both from one thread; stop() may be called
// from any thread.
class Worker {
 public:
  explicit Worker(WorkerOptions options = {});
  ~Worker();
  Worker(const Worker&) = delete;
  Worker& operator=(const Worker&) = delete;

  // Runs the jobs of this type, in every queue, with `handler`, which overrides the config file's
  // handler for the type.
  void handle(std::string type, HandlerFunction handler);
  // Works until stop(), SIGTERM, SIGINT or SIGHUP; a second SIGTERM or SIGINT ends the process at
  // once. Returns the exit status for main: 0; 1 if an attempt had to be cut off or the worker
  // could not continue (the log says why); 2 if the config or the options are invalid. May be
  // called only once. If the config has exec handlers, it forks a small process for each, so call
  // it before the program holds gigabytes of memory.
  [[nodiscard]] int run();
  // Asks run() to return, as the first SIGTERM does: nothing new starts, and running attempts have
  // `grace` to finish. Before run(), it makes run() return as soon as the options have been
  // checked. Must not be called from a signal handler.
  void stop();

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace penstock
