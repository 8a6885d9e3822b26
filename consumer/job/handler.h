// What is between the core and the code that does a job's work. The loop passes attempts to an
// Executor, which runs them on its own threads or processes and posts their outcomes and reports
// into the loop's mailbox (a Mailbox, below), from any thread.
#pragma once

#include <chrono>
#include <compare>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "consumer/job/receipt.h"
#include "topics/log.h"
#include "topics/values/types.h"

namespace penstock {

// The partition that an attempt belongs to: what comes before it in a token counts each on its own.
struct TokenPlace {
  std::uint32_t queue = 0;  // the low half of a digest of the topic's name
  PartitionId partition = 0;
  [[nodiscard]] static TokenPlace of(std::string_view topic, PartitionId partition);
  friend constexpr auto operator<=>(const TokenPlace&, const TokenPlace&) = default;
};

// The fencing token of an attempt. No two attempts of a queue have the same one; compared as text,
// it grows with every attempt of an account. The place comes last: it decides only between attempts
// of different partitions.
//
//   token := generation:8 "-" epoch:16 "-" number:16 "-" queue:8 "-" partition:4
//
// in lower-case hexadecimal digits.
struct Token {
  std::uint32_t generation = 0;  // of the state log
  std::int64_t epoch = 0;        // the offset of the owner's claim
  std::uint64_t number = 0;      // of the attempt within the epoch
  TokenPlace place = {};
  friend constexpr auto operator<=>(const Token&, const Token&) = default;
  [[nodiscard]] std::string text() const;
};

// Names one running attempt in this process. Executors serve several queues, whose tokens may be
// equal where the digests of their names are: the queue's number tells them apart.
struct AttemptKey {
  std::uint32_t queue = 0;  // the queue's number among the worker's queues
  PartitionId partition = 0;
  Token token;
  friend constexpr auto operator<=>(const AttemptKey&, const AttemptKey&) = default;
};

// One run of a handler. Owns its bytes: it outlives the record that it came from.
// The largest cursor that is kept, in bytes of JSON: it is part of every commit that its job is in.
inline constexpr std::size_t kMaxCursorBytes = 256 << 10;

// One of the jobs of a batch.
struct AttemptItem {
  std::string id;
  std::string args;  // raw JSON
  int attempt = 1;
  std::vector<Header> headers;
  std::string replay = {};  // as in AttemptRequest
};

struct AttemptRequest {
  AttemptKey key;
  std::string queue;
  std::string id;
  std::string type;
  std::string account;
  std::string args;  // raw JSON
  int attempt = 1;
  int max_attempts = 1;
  std::string cursor;           // raw JSON, empty when there is none
  std::vector<Header> headers;  // the record's, without penstock-*
  Duration timeout{30'000};
  // Of a batch: what it is to do, in the queue's order; args is empty then, id, attempt and headers
  // are the first one's.
  std::vector<AttemptItem> items = {};
  std::string prefix = {};  // of the topics
  std::string replay = {};  // of a copy: {"id", "of", "source"}, raw JSON
};

// The most that the follow-up jobs of one outcome or checkpoint may take together: they are part of
// its commit.
inline constexpr std::size_t kMaxFollowUpBytes = 1 << 20;

// What one of them takes of that: the record and what surrounds it in the commit, where the topic
// is named in the message's row and in that of its number.
[[nodiscard]] constexpr std::size_t follow_up_bytes(std::string_view record,
                                                    std::string_view account,
                                                    std::string_view topic) {
  return record.size() + account.size() + 2 * topic.size() + 64;
}

// What its headers take in addition.
[[nodiscard]] std::size_t follow_up_bytes(std::span<const Header> headers);

inline constexpr std::string_view kTooManyFollowUps =
    "the jobs of one outcome or checkpoint exceed 1 MiB together, where each counts its record, "
    "its account, twice its topic's name and 64 bytes";

// A follow-up job that the handler has enqueued ("enqueue", docs/handlers.md). If queue or account
// is empty, it is the job's own.
struct FollowUp {
  std::string queue;
  std::string account;
  std::string record;  // the job record's JSON, without `queue` and `account`
  std::vector<Header> headers = {};
};

struct Done {};
struct NextIteration {
  std::string cursor;
};  // raw JSON
// Uses up an attempt.
struct RetryLater {
  std::string error;
  std::optional<Duration> in = {};
  std::string error_class = {};  // for retry_on and discard_on (consumer/policy/error_pattern.h)
};
// Uses up no attempt, and waits for kMinSnooze at least (consumer/job/snooze.h).
struct Snooze {
  Duration in;
};
struct Discard {
  std::string reason;
};
struct CancelJob {
  std::string reason;
};
// The worker stopped it, or it never ran: uses up no attempt, and runs again.
struct Interrupted {
  std::string reason;
};

using OutcomeValue =
    std::variant<Done, NextIteration, RetryLater, Snooze, Discard, CancelJob, Interrupted>;

// The outcomes of a batch's items, in the order of the request; items without one share the
// attempt's outcome. Empty: all of them do. None is a NextIteration.
using ItemOutcomes = std::vector<std::optional<OutcomeValue>>;

struct AttemptEnded {
  AttemptKey key;
  OutcomeValue outcome;
  std::vector<FollowUp> enqueue;
  ItemOutcomes items = {};
  std::optional<std::chrono::microseconds> took = {};  // the handler alone, if that was measured
};
// The loop does nothing with it, so executors count heartbeats by themselves and post none; the
// simulation does.
struct Heartbeat {
  AttemptKey key;
};
// Saved with what was produced on the way there, both or neither.
struct Checkpoint {
  AttemptKey key;
  std::string cursor;
  std::vector<FollowUp> enqueue = {};
  Receipt receipt = {};
};
// How far the handler has come, by its own count.
struct ProgressMade {
  AttemptKey key;
  std::int64_t n = 0, total = 0;
  Receipt receipt = {};
};

using HandlerMessage = std::variant<AttemptEnded, Heartbeat, Checkpoint, ProgressMade>;

// Where executors post. Safe from any thread; a message for an attempt that is no longer known is
// dropped by the receiver, so a late one does no harm.
class Mailbox {
 public:
  virtual ~Mailbox() = default;
  virtual void post(HandlerMessage message) = 0;
  // The attempt is about to reach its handler, which may end the process; until then it only waits.
  // From any thread.
  virtual void begun(const AttemptKey&) {}
};

// Runs attempts of the types that it is configured for. All calls come from loop threads and return
// at once. Every start() is answered by exactly one AttemptEnded unless the attempt is killed
// first.
class Executor {
 public:
  virtual ~Executor() = default;

  virtual void start(AttemptRequest request, Mailbox& mailbox) = 0;
  // Asks the attempt to stop at its next opportunity: stop_requested() turns true, it ends as
  // interrupted at its next checkpoint, an HTTP request goes on.
  virtual void request_stop(const AttemptKey& key) = 0;
  // Ends the attempt now (its lease or its time is over): the connection is closed, the child is
  // killed, a C++ handler is abandoned (see still_runs()). No AttemptEnded follows. Does nothing
  // when the executor does not have the attempt.
  virtual void kill(const AttemptKey& key) = 0;
  // Whether the code of an attempt that was killed runs on in this process, within its timeout: a
  // C++ handler cannot be ended. (Past its timeout it does not count: it could overlap with its
  // retry without being killed, docs/decisions/timeouts-in-executors.md.)
  [[nodiscard]] virtual bool still_runs(const AttemptKey&) const { return false; }
};

}  // namespace penstock
