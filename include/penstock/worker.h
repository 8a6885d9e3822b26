// Penstock's worker as a library: handlers in C++ for jobs that lie in Kafka.
//
//   penstock::Worker worker({.config = "penstock.json"});
//   worker.handle("webhook.send", [](penstock::Attempt& attempt) -> penstock::Outcome {
//     const auto response = post(attempt.args().at("url"), attempt.token());
//     if (response.status == 429) return penstock::snooze(response.retry_after);
//     if (response.status >= 300) return penstock::retry("status " +
//     std::to_string(response.status)); return penstock::done();
//   });
//   return worker.run();  // until SIGTERM
//
// Handlers run on the worker's threads, several at once, so what they share they guard themselves.
// An exception that leaves a handler is a retry with its text, and its type as the error's name;
// AttemptLost and AttemptStopped are not (see below).
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

// How an attempt ended; made by the functions below.
struct Outcome {
  enum class Kind { kDone, kNext, kRetry, kSnooze, kDiscard, kCancel };
  Kind kind = Kind::kDone;
  std::string reason = {};  // of kRetry, kDiscard and kCancel
  std::optional<std::chrono::milliseconds> in =
      {};                       // of kSnooze, and of kRetry where one is asked for
  nlohmann::json cursor = {};   // of kNext
  std::string error_name = {};  // of kRetry
  std::string raw_cursor = {};  // of kNext: JSON as text, in place of `cursor` where not empty
};

// The job has succeeded.
[[nodiscard]] Outcome done();
// One iteration is over; the next begins with this cursor.
[[nodiscard]] Outcome next(nlohmann::json cursor);
// The same with JSON as text, which comes back byte for byte. nlohmann::json holds whole numbers of
// 64 bits exactly and every other number as the nearest double: 18446744073709551616, 1.10 and long
// decimals come back changed. Throws std::invalid_argument when the text is no JSON.
[[nodiscard]] Outcome next_raw(std::string cursor);
// The attempt failed; the next one comes after the policy's backoff, or in the given time (of a
// hundred years at most). By the name the policy's `retry_on` and `discard_on` tell failures apart.
[[nodiscard]] Outcome retry(std::string error,
                            std::optional<std::chrono::milliseconds> in = std::nullopt,
                            std::string name = {});
// Not now: runs again in the given time (of a second at least, a hundred years at most), and no
// attempt is spent.
[[nodiscard]] Outcome snooze(std::chrono::milliseconds in);
// The job can never succeed: it is dead, with this reason.
[[nodiscard]] Outcome discard(std::string reason);
// The job is not wanted any more: it ends as cancelled.
[[nodiscard]] Outcome cancel(std::string reason);

// AttemptLost and AttemptStopped tell a handler to leave. Neither is a std::exception, so a
// handler's own `catch (const std::exception&)` lets them pass. If a handler catches them all the
// same, nothing that it does afterwards counts: its outcome is ignored, as are the jobs that it
// enqueues and what it says of its items, and heartbeat(), progress() and checkpoint() throw again.

// Thrown by heartbeat(), progress() and checkpoint() when the attempt is no longer this process's
// to run: it timed out, or its partition has gone to another worker.
class AttemptLost {
 public:
  [[nodiscard]] const char* what() const noexcept { return "the attempt has been lost"; }
};

// Thrown by checkpoint(), once the cursor is saved, when the attempt has been asked to stop. No
// attempt is spent, and the job goes on from that cursor, in another worker when this one stops.
class AttemptStopped {
 public:
  [[nodiscard]] const char* what() const noexcept {
    return "the attempt has stopped at its checkpoint";
  }
};

// A follow-up job. An empty queue or account means the job's own; an empty id becomes `<id>/<n>`.
struct JobRequest {
  std::string queue = {};
  std::string type = {};
  std::string account = {};
  nlohmann::json args = nlohmann::json::object();
  std::string id = {};
  std::optional<std::chrono::system_clock::time_point> run_at = {};
  std::optional<std::chrono::system_clock::time_point> expires_at = {};
  int priority = 0;  // lower runs first
  int weight = 1;
  std::optional<std::string> unique_key = {};
  nlohmann::json meta = nullptr;  // an object, or null
  std::string raw_args = {};      // JSON as text, in place of `args` where not empty
};

// One of the jobs that are handed over together where the type's policy has `batch`.
struct Item {
  std::string id;
  nlohmann::json args;
  int attempt = 1;  // its own
  std::vector<std::pair<std::string, std::string>> headers = {};
  std::string raw_args = {};  // as the record has them, byte for byte
};

// One run of a job's handler. Belongs to the thread that the handler was called on; only
// stop_requested(), heartbeat(), enqueue() and checkpoint() may be called from others, while the
// handler runs.
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
  // Throws std::logic_error where the type's policy has `batch`: items() has them.
  [[nodiscard]] const nlohmann::json& args() const;
  // The same as the record has them, byte for byte (see next_raw()).
  [[nodiscard]] const std::string& raw_args() const;
  // Of a batch, in the queue's order; id(), attempt() and headers() are the first one's. Else
  // empty.
  [[nodiscard]] const std::vector<Item>& items() const;
  // From 1. Iterations of one attempt share their number.
  [[nodiscard]] int attempt() const;
  [[nodiscard]] int max_attempts() const;
  // The fencing token: as text, greater than that of every earlier attempt of the account.
  [[nodiscard]] const std::string& token() const;
  // What the last iteration or checkpoint left; null when there is none.
  [[nodiscard]] const nlohmann::json& cursor() const;
  // The same, byte for byte; empty when there is none.
  [[nodiscard]] const std::string& raw_cursor() const;
  // In the record's order; a name may stand more than once.
  [[nodiscard]] const std::vector<std::pair<std::string, std::string>>& headers() const;
  // The value of the last header of that name; empty when there is none.
  [[nodiscard]] std::string_view header(std::string_view name) const;

  // When the attempt times out, as far as heartbeats have moved it.
  [[nodiscard]] std::chrono::steady_clock::time_point deadline() const;
  // The worker wants to stop, the job was cancelled, or the attempt is lost: finish soon.
  [[nodiscard]] bool stop_requested() const;
  // Extends the deadline by the policy's timeout from now. Throws AttemptLost, and AttemptStopped
  // where checkpoint() has thrown it before.
  void heartbeat();
  // Saves a cursor to go on from after a crash or a retry, with the jobs that were enqueued since
  // the last one, both or neither; and is a heartbeat. Waits while the worker has not taken over
  // earlier ones (16 of them, or 256 KiB), as while Kafka accepts nothing; the timeout stands still
  // meanwhile. Throws AttemptLost, AttemptStopped and std::length_error for a cursor of more than
  // 256 KiB of JSON.
  void checkpoint(const nlohmann::json& cursor);
  // The same with JSON as text. Throws std::invalid_argument too, when it is none.
  void checkpoint_raw(std::string cursor);
  // What comes of one of items(), by its place there; the others share what the handler returns, or
  // throws. Throws std::out_of_range, and std::invalid_argument for next(): a cursor is the whole
  // batch's.
  void set_outcome(std::size_t item, Outcome outcome);
  // How far the job is, `n` of `total`, as `penstock jobs show` has it; ten times a second at most,
  // more often it does nothing until all is done. Is a heartbeat, and throws as that does;
  // std::invalid_argument below 0.
  void progress(std::int64_t n, std::int64_t total);
  // Produces a job exactly when the next checkpoint is saved, or the outcome is recorded where
  // none comes before; not on a retry. Throws std::length_error above 1 MiB of them, with what
  // stands around them (docs/handlers.md), nlohmann's type_error for a text that is no UTF-8, and
  // std::invalid_argument for raw arguments that are no JSON.
  void enqueue(JobRequest job);

 private:
  void save(std::string cursor);

  State& state_;
};

using HandlerFunction = std::function<Outcome(Attempt&)>;

struct WorkerOptions {
  std::string config = "penstock.json";  // path of the config file
  std::string brokers = {};              // overrides the file's bootstrap.servers when not empty
  std::vector<std::string> queues = {};  // which to work on; empty: all of the file
  int concurrency = 100;                 // attempts at once in this process, 1 to 100,000
  int threads = 8;                       // that C++ handlers run on, 1 to 1,024
  std::chrono::milliseconds grace{25'000};
  // run() takes SIGTERM, SIGINT and SIGHUP, in whichever thread they arrive, ignores SIGPIPE and
  // SIGXFSZ, and leaves all of them as it found them. False: it leaves them alone, and stop() is
  // the program's to call; ignore SIGPIPE where standard error may be closed.
  bool handle_signals = true;
};

// One worker of the group. handle() before run(), both from one thread; stop() from any.
class Worker {
 public:
  explicit Worker(WorkerOptions options = {});
  ~Worker();
  Worker(const Worker&) = delete;
  Worker& operator=(const Worker&) = delete;

  // Jobs of this type, in every queue, are done by `handler`, whatever the config file names for
  // it.
  void handle(std::string type, HandlerFunction handler);
  // Works until stop(), SIGTERM, SIGINT or SIGHUP; a second SIGTERM or SIGINT ends the process at
  // once. The exit status for main: 0, or 1 when an attempt had to be cut off or the worker could
  // not go on (it has logged why), or 2 for a broken config or options. At most once. Where the
  // config has exec handlers it forks a small process for each: call it before the program holds
  // gigabytes.
  [[nodiscard]] int run();
  // Asks run() to end as the first SIGTERM does: nothing new starts, and what runs has `grace`.
  // Before run(), it makes that return as soon as the options have been judged. Not from a signal's
  // handler.
  void stop();

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace penstock
