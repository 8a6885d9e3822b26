// What is sent to the queue's topic to send a dead record back, so that it runs once, however often
// it is sent back.
//
// The queue drops a record whose identity it remembers, and a dead job's identity is remembered
// while its row is kept (`keep.dead`) and for the dedup window. Therefore:
//
//   a dead job that is kept                a `retry` command: the job runs again, under its id
//   a dead job that is not kept            its record, unless it died within the dedup window: the
//                                          queue remembers the id and would drop it
//   a dead job, and nobody knows which     both, in this order: where the first has an effect, the
//                                          second is a duplicate
//   a dead job that was changed            its record, under the id "<id>/resent" unless the change
//                                          gave it another: the old id would be dropped
//   a bad record                           its record; without an id, it gets the one that it would
//                                          have had, its source
//
// What the queue still has under the id (but for the dead job itself) was sent back before. A record
// that breaks a rule of the job record is not sent: it would come straight back. Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <tl/expected.hpp>
#include <vector>

#include "api/dead/dead_entry.h"
#include "api/dead/record_sender.h"
#include "topics/record/job_decoder.h"

namespace penstock {

// What the queue has under an account and id.
enum class Standing : std::uint8_t {
  kDead,     // a dead job that is kept
  kThere,    // a job in another state
  kNone,     // no job, though the id may be remembered
  kUnknown,  // nobody could say
};

// What a program has made of a dead record.
struct RepairedRecord {
  std::optional<std::string> account;  // empty: the same
  std::string value;
};

// Why a record cannot be sent.
struct NotSent {
  std::string reason;  // a dead reason, or one of those below
  std::string detail;
};
inline constexpr std::string_view kCutReason = "cut";            // only a part of it was stored
inline constexpr std::string_view kAnswerReason = "bad_answer";  // from the program

// A record that can be sent back.
struct Candidate {
  ResendRecord record;
  std::string id;
  bool is_retried = false;  // by a command, if its job is kept
  bool is_command = false;  // itself
};

// Belongs to one thread.
class ResendPlan {
 public:
  [[nodiscard]] tl::expected<Candidate, NotSent> prepare(const DeadEntry& entry,
                                                         const RepairedRecord* repaired = nullptr);
  // What to send; empty: it was sent back before.
  [[nodiscard]] static std::vector<ResendRecord> records(const Candidate& candidate,
                                                         Standing standing);

 private:
  [[nodiscard]] tl::expected<void, NotSent> identify(Candidate& candidate, const DeadEntry& entry,
                                                     std::string_view id, bool is_changed);

  JobDecoder decoder_;
};

// Whether two JSON texts mean the same; numbers must be written alike.
[[nodiscard]] bool is_same_json(std::string_view a, std::string_view b);

}  // namespace penstock
