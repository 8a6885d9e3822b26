// The order of an account's jobs: in which of its lines a job stands, and where. Both follow from
// the job's row and the order of the queue, so a row's key and a job's place in memory agree.
//
//   order of the queue   a line holds                 its jobs stand by
//   created              one type                     turn
//   ready                one type                     run_at, then turn
//   fair                 one type, per bulk           priority, then turn
//   strict               all of the account's jobs    turn
//
// A job's turn is its place in the order of admission (state/rows/job_seq.h), or the place that it
// was given when it gave that up: behind every job that was admitted by then.
//
// A value; any thread.
#pragma once

#include <string>
#include <string_view>

#include "consumer/job/live_job.h"
#include "consumer/policy/policy.h"

namespace penstock {

class LineOrder {
 public:
  explicit LineOrder(Order order) : order_(order) {}

  [[nodiscard]] Order order() const { return order_; }
  [[nodiscard]] bool is_strict() const { return order_ == Order::kStrict; }
  // The name of the job's line. `buffer` holds it where the row has no text that is equal to it.
  [[nodiscard]] std::string_view line_of(const JobRow& row, std::string& buffer) const;
  [[nodiscard]] LinePlace place_of(const JobRow& row) const;
  // The key of the row of a job that is in its line.
  [[nodiscard]] std::string key_of(const LiveJob& job) const;

 private:
  Order order_;
};

}  // namespace penstock
