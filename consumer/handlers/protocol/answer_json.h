// Reads the answers of HTTP and exec handlers (docs/handlers.md) into outcomes.
//
//   answer  := "{" (ok | next | error | snooze | discard | cancel) ["," enqueue] "}"
//   ok      := "ok": true                 next    := "next": cursor, any JSON but null
//   error   := "error": any ["retry_in": duration] ["error_name": string]
//   snooze  := "snooze": duration         discard, cancel := a string, the reason
//   enqueue := "enqueue": [{"queue"?, "account"?, "type", other members of a job record}]; an account
//              or a queue that is given is not empty
//
// Cursors and follow-ups are passed on as text, byte for byte; no object may repeat a member name.
//
// The answer to a batch may also have, in addition to its outcome or instead of it,
//
//   items   := "items": [{"id", (ok | error | snooze | discard | cancel)}]
//
// where each id is one of the batch's and occurs once. Items that are not named share the answer's
// outcome; if it has none, they are retried.
//
// A member that is null counts as absent; members not listed here are ignored. An answer that
// violates a rule becomes a RetryLater that says which rule, so a handler's mistake never loses a
// job. Pure functions, which may be called from any thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "consumer/job/handler.h"

namespace penstock {

// A longer body or line is refused without being read.
inline constexpr std::size_t kMaxAnswerBytes = 16 << 20;
inline constexpr int kMaxAnswerDepth = 128;  // the outermost object is depth 1

struct Answer {
  OutcomeValue outcome;
  std::vector<FollowUp> enqueue;  // empty if the outcome is a retry
  ItemOutcomes items = {};        // only for a batch
};

// Reads the body of a 2xx response. A body that is not a JSON object (empty, text, an array) is
// Done, and so is an object without an outcome. `items` are those of the request.
[[nodiscard]] Answer read_http_answer(std::string_view body,
                                      std::span<const AttemptItem> items = {});

// Reads a line of a child's standard output while the attempt with `token` is running.
struct OtherToken {};  // to be ignored
struct HeartbeatLine {};
struct CheckpointLine {
  std::string cursor;
  std::vector<FollowUp> enqueue = {};
};
struct ProgressLine {
  std::int64_t n = 0, total = 0;
};
struct Rubbish {
  std::string message;
};  // not an answer at all: the child no longer follows the protocol
using AnswerLine =
    std::variant<Answer, HeartbeatLine, CheckpointLine, ProgressLine, OtherToken, Rubbish>;
[[nodiscard]] AnswerLine read_answer_line(std::string_view line, std::string_view token,
                                          std::span<const AttemptItem> items = {});

}  // namespace penstock
