// The rules that a run is checked by, each with how often it was put to the test; and the first one
// that was broken. One thread.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace penstock::simulation {

enum class Rule : std::uint8_t {
  kNothingLost,      // what a commit takes from the input is a live job in it, or ended
  kNoPhantom,        // nothing runs or ends that no record asked for
  kOneCompletion,    // an identity ends once, and once more at most for each `retry`
  kOrder,            // created: first starts in the order of admission
  kStrictOrder,      // strict: no start before every earlier job has ended
  kReadyOrder,       // ready: the earlier run_at first
  kNoOverlap,        // attempts of an account, on all hosts together
  kNotEarly,         // run_at
  kRetryTime,        // attempt n + 1 not before its backoff has passed
  kAttempts,         // an attempt is spent by a failure alone
  kDiscards,         // a failure that the policy says ends the job ends it
  kRetries,          // and no other does before the attempts are spent
  kDedup,            // an identity that has ended does not run again
  kTokensGrow,       // per account
  kTokensDiffer,     // in the whole queue
  kCommitsHonoured,  // what an owner counts is in the log and honoured
  kRestored,         // the rows at a claim are those of the honoured history
  kStandby,          // and so are those of a slow reader from the log's start
  kWholeRows,        // every job row has its identity and a place of its own, and the count agrees
  kInputMoves,       // the input's position never goes back
  kOutboxOnce,       // a message between queues is produced by an honoured commit, and taken once
  kOutboxComes,      // and is taken at all
  kLogSize,          // an owner knows about how long its log is
  kOldest,           // what its sender says was acknowledged lies before it in the log
  kGoneOn,           // where the log loses records, what is read of its messages is taken
  kTakenOnce,        // once
  kMissedTold,       // and what is not is told
  kSentBack,         // a message to another partition is an ordinary record
  kFair,             // an account with few jobs is served beside one with many
  kLiveness,         // all is done at the end
  kRightPartition,   // a misrouted record's job runs where it belongs only
  kForwarded,        // and is forwarded in the commit that takes it
  kBadRecord,        // ends in the dead topic as it came, or as its head
  kBufferWaits,      // no tenure ends because the log's buffer is full for a moment
  kCancel,           // does not run when its cancel was taken before
  kDeleted,          // of what was deleted nothing stays but its identity
  kExpired,          // does not start first after its expires_at
  kExpiries,         // and what is to expire is a job that lives and expires then
  kStopsLoudly,      // a process stops only where somebody else has cut its log, and says so
  kFollowUps,        // what an outcome asks for is produced with it, once
  kSlots,            // a limit's running attempts never exceed its slots
  kRate,             // nor its starts its rate
  kSharedSlots,      // and that of a shared limit: what its owner allots, and what runs
  kSlotsBack,        // its slots come back
  kSharedRate,       // no partition starts more often than its part of a shared rate lets it
  kPause,            // nothing of a paused account starts
  kBreaker,          // past an open breaker only one probe at a time, and those far enough apart
  kBreakerCloses,    // and when something succeeds, all that were parked come to their turn
  kFairOrder,        // fair: within a bulk by priority, then in the order of admission
  kBulkShare,        // and a bulk with few chunks is served beside one with many
  kWeights,          // an account has its weight's share of the turns
  kNewcomers,        // and one that waits is not passed by those who come after it
  kOnDone,           // a bulk's job is produced once, when all have ended, and told how many died
  kBulkAgain,        // and a bulk's id is free when the bulk is forgotten
  kBatchOnce,        // a job is an item of one running attempt at most
  kBatchOrder,       // the items of a batch, and of one batch after the other, in the queue's order
  kBatchWhole,       // what is handed over again is what was
  kBatchDelay,       // a batch that is not full waits after its last arrival
  kBatchCeiling,     // but not for ever, however they stream in
  kBatchMost,        // no hand-over has more than `max` items
  kBatchTarget,      // nor, with a `target`, more or fewer than the measured time says
  kSetOnce,          // a set has no two items with equal arguments
  kItemAnswer,       // an item ends by an answer that ends it
  kUniqueRuns,       // no two of a unique key run at once, where the scope says so
  kUniqueHeld,       // and none is admitted beside one that holds its lock until its end
  kUniqueQueued,     // or that waits for its first attempt
  kUniqueTtl,        // or within the time for which it is held
  kConflict,         // where that is to be told, it goes to the dead topic
  kFolded,           // a job that is folded away had one to be folded into
  kNewestArgs,       // and where its arguments are taken over, and only there, they run
  kCursor,  // an iteration begins with the cursor that was left, or committed by an earlier owner
  kTurn,    // one that has run for its max_runtime comes behind its account's others
  kKept,    // nobody takes what another keeps between its iterations
  kDeaths,  // what a death left behind waits for its notice; crashed after three
  kCrashCount,    // which an iteration that has ended makes forgotten
  kTimeout,       // an attempt's time is over its timeout after its last sign of life
  kPlaces,        // no more attempts than a process has places, nor of a queue than its own
  kPlacesUsed,    // and none stands free that somebody wants
  kPoolShares,    // queues that wait have their starts by their weights
  kPoolStrict,    // or strictly in their order
  kRecreated,     // a topic that is created again is refused, and what a worker has of it is kept
  kFormat,        // the state is written in the format that all versions read, until they are new
  kCopiedOnce,    // what a replay is to copy becomes a job that ends once, and nothing else does
  kCopiesLast,    // no copy starts while its account has other jobs that could
  kCopyOrder,     // copies start in the order of their originals
  kCopiesPaused,  // none does whose replay is paused or cancelled
  kReplayCounts,  // a replay counts what it has done
  kCopyContent,   // a copy is its original, but for what docs/replay.md names
  kCopiesSent,    // one for another queue is sent there once, and counted with that
  kThrough,       // none is made of a record that a program was to be asked of and was not
  kReplayRate,    // no partition makes copies faster than its part of the replay's rate
  kMaxDead,       // a replay of which too many copies die pauses itself, and no other does
  kOldestReady,   // the job that could have started for longest is found, with its time
  kMemory,        // no room is taken for ever: the last rows are those of kept jobs
  kCount
};
inline constexpr std::size_t kRules = static_cast<std::size_t>(Rule::kCount);
[[nodiscard]] std::string_view to_string(Rule rule);

class Rules {
 public:
  // The rule was put to the test; returns `holds` and notes the first that does not.
  template <typename Says>
  bool check(Rule rule, bool holds, Says says) {
    if (recreated && rule != Rule::kRecreated) return holds;
    ++exercised[static_cast<std::size_t>(rule)];
    if (!holds && !broken) broken = std::string(to_string(rule)) + ": " + says();
    return holds;
  }

  std::array<std::uint64_t, kRules> exercised{};
  std::optional<std::string> broken;
  // The logs are others now, and no rule about the old ones means anything any more.
  bool recreated = false;
};

}  // namespace penstock::simulation
