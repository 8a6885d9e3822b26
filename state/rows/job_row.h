// What a partition remembers of a job, as one row (state/rows/keys.h has the key).
//
//   row      := version:u8 = 1, state:u8, attempt:varint, crashes:varint,
//               seq:varint, offset:varint,
//               admitted_at:i64, run_at:i64, started_at:i64, ended_at:i64, expires_at:i64,
//               follow_ups:varint,
//               type:text, id:text, account:text, reason:text, cursor:text, value:text,
//               headers, sharing?, origin?, unique?, going_on?, asked?, snoozed?, copy?
//   headers  := count:varint (name:text value:optional)*
//
//   section                                                  absent
//   sharing  := 's':u8, priority:i64, weight:varint,         all as in a new JobRow
//               bulk:text, bulk_index:i64
//   origin   := 'o':u8, place:text                           the record was first at `offset`
//   unique   := 'k':u8, digest:16                            the job takes part in no uniqueness
//   going_on := 'g':u8, batch:varint, turn:varint, ran:i64,  all as in a new JobRow
//               progress:i64, progress_total:i64
//   asked    := 'a':u8, what:u8                              nothing
//   snoozed  := 'z':u8, snoozes:varint                       0
//   copy     := 'p':u8, replay:text                          the job is no copy of a replay
//
//   optional := present:u8 text
//   text     := length:varint bytes
//
// Times are in milliseconds; 0: none. `value` is the record's value, byte for byte, including
// members that have no effect yet.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "state/rows/digest.h"
#include "state/rows/job_seq.h"
#include "topics/log.h"
#include "topics/values/result.h"
#include "topics/values/types.h"

namespace penstock {

enum class JobState : std::uint8_t {
  kScheduled,
  kReady,
  kWaiting,
  kRunning,
  kRetrying,
  kSucceeded,
  kDead,
  kCancelled,
  kDuplicate,
  kExpired,
};
[[nodiscard]] std::string_view to_string(JobState state);
[[nodiscard]] constexpr bool is_terminal(JobState state) { return state >= JobState::kSucceeded; }

// What a command has asked of a job while it was running. It takes effect when the attempt has
// ended or its process has crashed.
enum class Asked : std::uint8_t { kNothing, kCancel, kDelete };

struct JobRow {
  JobState state = JobState::kReady;
  int attempt = 1;  // the running one, or the next
  int crashes = 0;  // of processes, with this job in flight
  JobSeq seq;       // its number in the partition
  Offset offset;    // of its record in the partition's input
  Time admitted_at{};
  Time run_at{};      // earliest start: the record's, a retry's or a snooze's
  Time started_at{};  // of the last attempt
  Time ended_at{};
  Time expires_at{};
  int follow_ups = 0;  // that it has produced so far
  std::string type;
  std::string id;
  std::string account;
  std::string reason;           // of the last failure, or of the end
  std::string cursor;           // raw JSON, or empty
  std::string value;            // the record's value as it came
  std::vector<Header> headers;  // the record's, without penstock-*
  int priority = 0;
  int weight = 1;
  std::string bulk;              // its id, or empty
  std::int64_t bulk_index = -1;  // of the chunk, if the bulk counts it; -1: it does not
  Digest unique;                 // of its unique key (consumer/job/job_keys.h); zero: none
  JobSeq batch;     // a number that no job has: the job is passed to the handler only with the jobs
                    // that have the same number here; none: with any
  JobSeq turn;      // the number it was given when it yielded (consumer/job/line_order.h)
  Duration ran{0};  // since it last yielded, in attempts that have ended
  std::int64_t progress = -1;       // as reported by the handler
  std::int64_t progress_total = 0;  // -1 above: none was reported
  Asked asked = Asked::kNothing;
  int snoozes = 0;  // consecutive: since an attempt last ended in another way
  // `<topic>/<partition>/<offset>` where a forwarded record was first, or empty. Of a copy: the queue
  // whose replay has sent it here, or empty if it was made in this queue.
  std::string origin;
  // Of a copy that a replay has made: {"id": replay, "of": id, "source": place}, as handlers get it;
  // otherwise empty.
  std::string replay;

  // Whether it has not been started by its expires_at.
  [[nodiscard]] bool expired(Time now) const {
    return expires_at != Time{} && expires_at <= now && started_at == Time{};
  }
  [[nodiscard]] bool is_copy() const { return !replay.empty(); }
  [[nodiscard]] bool cancel_asked() const { return asked != Asked::kNothing; }
  // The most that the headers add to the row.
  [[nodiscard]] std::size_t header_bytes() const;

  [[nodiscard]] std::string encode() const;
  [[nodiscard]] static Result<JobRow> decode(std::string_view bytes);
  // Decodes into a row that was used before, whose strings keep their buffers. After an error, its
  // members are unspecified.
  [[nodiscard]] Status assign(std::string_view bytes);
};

// Since when the job may have been able to start, at the earliest: it was admitted, became due, or
// was last started, whichever came last.
[[nodiscard]] inline Time ready_since(const JobRow& row) {
  return std::max(row.admitted_at, std::max(row.run_at, row.started_at));
}
// The same of an encoded row, of which nothing else is read.
[[nodiscard]] Time row_ready_since(std::string_view bytes);

}  // namespace penstock
