// The questions that are asked of one loop at a time: short functions that run on the loop's thread
// and return values.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "api/source/source.h"
#include "consumer/loop/loop.h"

namespace penstock {

// The partitions about whose jobs this loop can answer.
[[nodiscard]] std::vector<PartitionId> partitions_held(Loop& loop);

// The result of one step of a list. `held` is false if the partition is no longer here.
struct JobPiece {
  bool held = false;
  std::vector<ShownJob> jobs;
  std::optional<std::string> after;  // empty: the end of the partition
};
// Returns at most `limit` jobs.
struct PieceRequest {
  PartitionId partition = 0;
  JobWalk::Piece walk;
  JobQuery filter = {};  // without its account, position and limit, which `walk` has
  std::string id = {};   // exactly; empty: any
  std::size_t limit = 0;
};
[[nodiscard]] JobPiece job_piece(Loop& loop, const PieceRequest& request, Now now);

struct OneJob {
  bool held = false;
  std::optional<ShownJob> job;
};
[[nodiscard]] OneJob one_job(Loop& loop, PartitionId partition, const std::string& account,
                             const std::string& id, Now now);

struct AccountPiece {
  bool held = false;
  std::vector<AccountLoad> accounts;
  std::optional<std::string> after;
};
[[nodiscard]] AccountPiece account_piece(Loop& loop, PartitionId partition,
                                         const std::string& after, int max_rows);

struct BulkPiece {
  bool held = false;
  std::vector<ShownBulk> bulks;
  std::optional<std::string> after;
};
struct BulkPieceRequest {
  PartitionId partition = 0;
  std::string account, after;
  int limit = 0;
};
[[nodiscard]] BulkPiece bulk_piece(Loop& loop, const BulkPieceRequest& request, Now now);

struct WatchRequest {
  PartitionId partition = 0;
  JobIdentity job;
  std::size_t number = 0;  // on the board
};
// Returns the numbers of those that are not watched.
[[nodiscard]] std::vector<std::size_t> watch_jobs(Loop& loop,
                                                  const std::vector<WatchRequest>& requests,
                                                  const std::shared_ptr<WatchBoard>& board);

// All partitions of the loop, whatever their phase.
[[nodiscard]] std::vector<PartitionStatus> partition_statuses(Loop& loop, Now now);

[[nodiscard]] std::vector<OpenBreaker> open_breakers(Loop& loop);
[[nodiscard]] std::vector<LimitUse> limit_uses(Loop& loop);

// One loop's part of a queue's status. `held` names its partitions; `not_here` is left empty.
struct LoopStatus {
  QueueStatus figures;
  std::vector<PartitionId> held;
};
[[nodiscard]] LoopStatus loop_status(Loop& loop, Now now);

}  // namespace penstock
