// The attempts of a partition, from a job's turn to its outcome: starts them, takes their
// checkpoints, and passes their outcomes on.
//
// What always holds:
//  - an outcome or a checkpoint that names no running attempt of this tenure changes nothing;
//  - an attempt begins with the cursor that the job's last iteration or checkpoint left, and the
//    follow-up jobs that belong to this cursor are in the same commit.
//
// Used by the partition's one thread.
#pragma once

#include <absl/container/flat_hash_map.h>

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "consumer/bulk/item_times.h"
#include "consumer/task/core/core.h"
#include "consumer/task/outcome/batch_cursor.h"
#include "consumer/task/outcome/batch_outcomes.h"
#include "consumer/task/outcome/endings.h"
#include "consumer/task/outcome/follow_ups.h"
#include "consumer/task/outcome/outcomes.h"
#include "consumer/task/outcome/placement.h"
#include "consumer/task/outcome/unique_keys.h"

namespace penstock {

class Attempts {
 public:
  struct Parts {
    BatchCursor& cursor;
    UniqueKeys& unique;
    Endings& endings;
    Placement& placement;
    Outcomes& outcomes;
    BatchOutcomes& batch_outcomes;
  };

  Attempts(Core& core, const Parts& parts) : core_(core), parts_(parts), follow_ups_(core) {}

  // The tokens of this tenure, which has this generation and epoch, are greater than all earlier
  // ones.
  void restored(std::uint32_t generation, Offset epoch);

  // Starts up to `capacity` attempts and returns how many places are left (an attempt that ends at
  // once returns its place).
  [[nodiscard]] int start(int capacity);
  // The attempt has ended.
  void ended(const Token& token, AttemptResult result);
  void checkpoint(const Token& token, std::string cursor, std::span<const FollowUp> enqueue);
  void progress(const Token& token, std::int64_t n, std::int64_t total);

  [[nodiscard]] std::size_t running() const { return running_.size(); }
  [[nodiscard]] std::vector<Token> tokens() const;
  void ask_all_to_stop();
  // Of the bulks' chunks that have ended here.
  [[nodiscard]] const ItemTimes& item_times() const { return item_times_; }

 private:
  [[nodiscard]] bool can_start(LiveJob* job);
  void find_type(LiveJob* job);
  [[nodiscard]] bool has_to_end(LiveJob* job);
  [[nodiscard]] bool may_start_suspect(LiveJob* job);
  void leave_unknown_type(LiveJob* job);
  [[nodiscard]] bool start(LiveJob* job);
  void gather(LiveJob* first);
  void begin(LiveJob* job);
  void finish(LiveJob* job, AttemptResult result);
  [[nodiscard]] LiveJob* find(const Token& token);
  void refuse_unfit(LiveJob* job, AttemptResult& result);
  void count_run(LiveJob* job, const JobBatch* batch, const OutcomeValue& outcome);
  void measure_chunk(const JobRow& chunk, const AttemptResult& result);
  struct GivenUp {
    Holds limits, gates;
  };
  [[nodiscard]] GivenUp leave_holds(LiveJob* job, const JobBatch* batch,
                                    const AttemptResult& result);

  Core& core_;
  const Parts parts_;
  FollowUps follow_ups_;
  ItemTimes item_times_;
  Token last_token_;                                      // of the latest attempt
  absl::flat_hash_map<std::uint64_t, LiveJob*> running_;  // by the token's number
};

}  // namespace penstock
