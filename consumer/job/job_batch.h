// Jobs of one type and account that are passed to the handler together (docs/batches.md), and what
// decides how many there are: the collection that grows while their line waits, and the size of the
// next batch. Values only; consumer/schedule/batch_collector.h decides with them.
//
// What always holds: the items of a batch are in the queue's order; a job is in one running batch
// at most, as an item or folded into one; a batch and a collection never count more than kMaxBatch
// jobs or kMaxBatchCost.
#pragma once

#include <absl/container/flat_hash_set.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

#include "consumer/job/live_job.h"
#include "consumer/policy/policy.h"
#include "state/rows/digest.h"
#include "topics/json/json_tree.h"
#include "topics/record/job_decoder.h"

namespace penstock {

// The most that the end of a whole batch may add to one commit: each job's record once in its row
// and once in a dead record, and what surrounds them. A first item that is larger runs alone.
inline constexpr std::size_t kMaxBatchCost = 11 << 18;
[[nodiscard]] std::size_t batch_cost(const JobRow& row);

inline constexpr std::size_t kMaxLookedAt = 2 * kMaxBatch;  // of a line's jobs, for one batch

// To which jobs a job of a batch can leave the cursor: there are none, or only jobs that will run
// alone, or one has taken it.
enum class Heirs : std::uint8_t { kNone, kUnfit, kTook };

// Line::blocked_until of a line whose batch is running.
inline constexpr Time kUntilBatchEnds = Time::max();

// The errors of a failed batch are kept with each of its jobs; this is the room for all of them.
inline constexpr std::size_t kMaxBatchReasonBytes = 256 << 10;
inline constexpr std::size_t kMinReasonBytes = 128;

// Distinguishes a job's arguments from others by their values, however they are written.
class ArgumentsDigest {
 public:
  [[nodiscard]] Digest of(const JobRow& row);

 private:
  JobDecoder decoder_;
  JsonTree tree_;
  std::string canonical_;
};

// What a line has collected for its next batch.
class Collection {
 public:
  // `args` is needed only under "set".
  void add(const JobRow& row, const Digest& args);
  void add(const JobRow& row);
  // No further job can join it.
  void close() { closed_ = true; }

  // Whether waiting would not make the batch larger; it has room for `most` items.
  [[nodiscard]] bool full(int most) const {
    return closed_ || items_ >= static_cast<std::size_t>(most) || jobs_ >= kMaxBatch ||
           cost_ >= kMaxBatchCost;
  }
  // `delay` after the last arrival, but no later than kMaxBatchDelays times `delay` after the
  // first.
  [[nodiscard]] Time due(const BatchPolicy& policy) const;
  [[nodiscard]] std::size_t jobs() const { return jobs_; }

 private:
  Time first_{}, last_{};
  std::size_t jobs_ = 0, items_ = 0, cost_ = 0;
  bool closed_ = false;
  absl::flat_hash_set<std::pair<std::uint64_t, std::uint64_t>> seen_;
};

// How many items a batch of a type has: `max` or, if there is a `target`, as many as should take
// about that long. The first batch has one item, and no batch has more than twice as many as the
// largest that was measured.
class BatchSizer {
 public:
  [[nodiscard]] int size(const BatchPolicy& policy) const;
  void measured(std::size_t items, std::chrono::microseconds took);

 private:
  std::int64_t ns_an_item_ = 0;  // a moving average; 0: not measured
  std::size_t most_measured_ = 0;
};

}  // namespace penstock
