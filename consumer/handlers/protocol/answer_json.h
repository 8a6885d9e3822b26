// What HTTP and exec handlers answer (SPEC section 6), read into the outcome that it means.
//
//   answer  := "{" (ok | next | error | snooze | discard | cancel) ["," enqueue] "}"
//   ok      := "ok": true                 next    := "next": cursor, any JSON but null
//   error   := "error": any ["retry_in": duration] ["error_name": string]
//   snooze  := "snooze": duration         discard, cancel := a string, the reason
//   enqueue := "enqueue": [{"queue"?, "account"?, "type", other members of a job record}]; an account
//              or a queue that is given is not empty
//
// Cursors and follow-ups are passed on as they stand in the text, byte for byte; no object repeats a
// member name.
//
// Of a batch the answer may have, beside its outcome or instead of it,
//
//   items   := "items": [{"id", (ok | error | snooze | discard | cancel)}]
//
// where each id is one of the batch's and stands once. Items that are not named share the answer's
// outcome; where it has none they are retried.
//
// A member that is null counts as absent, members that are not named here are passed over. An
// answer that breaks a rule is a RetryLater that says which: a handler's mistake never loses a job.
// Pure functions, safe from any thread.
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

// A body or a line longer than this is refused unread.
inline constexpr std::size_t kMaxAnswerBytes = 16 << 20;
inline constexpr int kMaxAnswerDepth = 128;  // the outermost object is depth 1

struct Answer {
  OutcomeValue outcome;
  std::vector<FollowUp> enqueue;  // empty when the outcome is a retry
  ItemOutcomes items = {};        // of a batch
};

// The body of a 2xx response. Anything that is not meant as an object (empty, a text, an array),
// and an object without an outcome, is Done. `items` are the request's.
[[nodiscard]] Answer read_http_answer(std::string_view body,
                                      std::span<const AttemptItem> items = {});

// A line of a child's standard output, while the attempt with `token` runs.
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
};  // no answer at all: the child has lost the thread
using AnswerLine =
    std::variant<Answer, HeartbeatLine, CheckpointLine, ProgressLine, OtherToken, Rubbish>;
[[nodiscard]] AnswerLine read_answer_line(std::string_view line, std::string_view token,
                                          std::span<const AttemptItem> items = {});

}  // namespace penstock
