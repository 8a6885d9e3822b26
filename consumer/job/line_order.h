// The order of an account's jobs: in which of its lines a job is, and at which position. Both
// follow from the job's row and the order of the queue, so a row's key and a job's position in
// memory agree.
//
//   order of the queue   a line holds                 its jobs are ordered by
//   created              one type                     number
//   ready                one type                     run_at, then number
//   fair                 one type, per bulk           priority, then number
//   strict               all of the account's jobs    number
//
// The copies of each replay are in lines of their own, divided and ordered alike (under "fair"
// without bulks), so that no replay waits for what another one waits for. They get their turns
// behind all other jobs of the account, and between replays in the order above.
//
//   name   := type                      no copies; where the queue is strict, empty
//           | type 0x00 digest          the chunks of a bulk, under "fair": of its id
//           | 0x01 type 0x00 replay     copies; where the queue is strict, without a type
//   replay := bytes                     its name
//           | bytes '/' digest          of another queue, which has sent them: of the queue's name
//
// The number is the job's sequence number (state/rows/job_seq.h) or, once it has yielded, the one
// that it was given then (JobRow::turn): behind every job that had been admitted by then.
//
// A value; any thread.
#pragma once

#include <string>
#include <string_view>

#include "consumer/job/live_job.h"
#include "consumer/policy/policy.h"

namespace penstock {

// What the name of a line of copies begins with, and no type does.
inline constexpr std::string_view kCopiesMark = "\1";

class LineOrder {
 public:
  explicit LineOrder(Order order) : order_(order) {}

  [[nodiscard]] Order order() const { return order_; }
  [[nodiscard]] bool is_strict() const { return order_ == Order::kStrict; }
  // The name of the job's line. `buffer` holds it where the row has no text that is equal to it.
  [[nodiscard]] std::string_view line_of(const JobRow& row, std::string& buffer) const;
  [[nodiscard]] LinePlace place_of(const JobRow& row) const;
  // Among the account's lines, the turn of a job at this position of its line.
  [[nodiscard]] static LinePlace turn_of(const LinePlace& place, bool is_copy);
  // The key of the row of a job that is in its line.
  [[nodiscard]] std::string key_of(const LiveJob& job) const;

 private:
  Order order_;
};

}  // namespace penstock
