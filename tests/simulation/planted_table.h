// What catches each planted bug: the rules that are about what it breaks, and whether it may end
// the process instead, by a failed check or by running for ever. Whatever else a run with the bug
// breaks is no proof of those rules. Beside it a seed that catches it soon.
#pragma once

#include <algorithm>
#include <cstdint>
#include <initializer_list>
#include <string_view>

#include "tests/simulation/campaign.h"
#include "tests/simulation/rules.h"

namespace penstock::simulation {

enum class Ends : std::uint8_t { kNever, kMayCrash, kMayHang };

struct Known {
  Bug bug;
  std::uint64_t seed;
  std::initializer_list<Rule> by;
  Ends ends = Ends::kNever;
};

// What no thousand runs meet; planted_directed_test.cc catches them.
inline constexpr std::initializer_list<Bug> kCaughtDirectly = {
    Bug::kRowsNotWoken,  Bug::kKeptBehindWaiting, Bug::kRateKept,         Bug::kOwnClaimsAllFutile,
    Bug::kRestOvertaken, Bug::kExpiryKept,        Bug::kClaimsDoNotCount, Bug::kLingersOn};

// Two owners at once: what either of them starts, beside the other's.
inline constexpr std::initializer_list<Rule> kTwoAtOnce = {Rule::kNoOverlap,  Rule::kTokensGrow,
                                                           Rule::kUniqueRuns, Rule::kBatchOnce,
                                                           Rule::kSlots,      Rule::kSharedSlots};

inline constexpr Known kKnown[] = {
    {Bug::kConfirmAtAck, 4, {Rule::kCommitsHonoured, Rule::kOutboxOnce}},
    {Bug::kOffsetAssumed, 7, {Rule::kCommitsHonoured, Rule::kOutboxOnce}},
    {Bug::kDoubtBelieved, 7, {Rule::kCommitsHonoured, Rule::kOutboxOnce}},
    {Bug::kDoubtKept, 68, {Rule::kLiveness}},
    {Bug::kLeaseFromAnyAck, 44, kTwoAtOnce},
    {Bug::kWaitWithoutMargin, 15, kTwoAtOnce},
    {Bug::kNoWait, 15, kTwoAtOnce},
    {Bug::kReleaseWithAttempts, 7, kTwoAtOnce},
    {Bug::kReleaseBeforeWait, 29, kTwoAtOnce},
    {Bug::kFullBufferDrops, 12, {Rule::kBufferWaits}},
    {Bug::kRefusalDoubted, 3, {Rule::kLiveness, Rule::kOutboxComes, Rule::kMemory}},
    {Bug::kOutboxHighest,
     1,
     {Rule::kNothingLost, Rule::kNoPhantom, Rule::kOutboxOnce, Rule::kMissedTold}},
    {Bug::kLogSizeForgotten, 1, {Rule::kLogSize}},
    {Bug::kNeverJumps, 1, {Rule::kGoneOn}},
    {Bug::kGapForgotten, 1, {Rule::kGoneOn}},
    {Bug::kHolesForgotten, 1, {Rule::kGoneOn, Rule::kMissedTold}},
    {Bug::kOldestIsOwn, 1, {Rule::kOldest}},
    {Bug::kForeignMessages, 1, {Rule::kSentBack}},
    {Bug::kEmitWhenSent, 7, {Rule::kOutboxOnce}},
    {Bug::kJumpTaken,
     9,
     {Rule::kRestored, Rule::kCommitsHonoured, Rule::kDedup, Rule::kOutboxOnce}},
    {Bug::kCarryFromStore,
     21,
     {Rule::kOutboxOnce, Rule::kWholeRows, Rule::kInputMoves, Rule::kNoPhantom}},
    {Bug::kCutOneFurther, 3, {Rule::kStandby, Rule::kStopsLoudly}},
    {Bug::kCutWhenSent, 1, {Rule::kStandby, Rule::kStopsLoudly}},
    {Bug::kCutWithoutCopy, 4, {Rule::kStandby, Rule::kRestored}},
    {Bug::kStartWithoutLease, 3, kTwoAtOnce},
    {Bug::kNeverStopped, 15, kTwoAtOnce},
    {Bug::kReaderEpoch, 4, {Rule::kCommitsHonoured, Rule::kStandby, Rule::kOutboxOnce}},
    {Bug::kReaderChain,
     1,
     {Rule::kCommitsHonoured, Rule::kStandby, Rule::kOutboxOnce, Rule::kRestored}},
    {Bug::kResumeLag, 40, kTwoAtOnce},
    {Bug::kOwnEpochSkipped, 13, kTwoAtOnce},
    {Bug::kKilledForgotten, 6, kTwoAtOnce},
    {Bug::kReleaseBesideKilled, 67, kTwoAtOnce},
    {Bug::kRetentionSilent, 1, {Rule::kStandby, Rule::kRestored}},
    {Bug::kRootForgotten, 83, {Rule::kRestored}},
    {Bug::kRecreatedTaken, 1, {Rule::kRecreated}},
    {Bug::kCopyDropped, 2, {Rule::kRecreated}},
    {Bug::kOutboxNotAgain, 6, {Rule::kOutboxComes, Rule::kLiveness, Rule::kOldest, Rule::kGoneOn}},
    {Bug::kOutboxForgotten,
     1,
     {Rule::kOutboxComes, Rule::kLiveness, Rule::kMemory, Rule::kOldest, Rule::kGoneOn}},
    {Bug::kOverlayForgetsEarly,
     1,
     {Rule::kWholeRows, Rule::kNothingLost, Rule::kUniqueHeld, Rule::kFolded},
     Ends::kMayCrash},
    {Bug::kDedupForgotten, 4, {Rule::kDedup, Rule::kExpired, Rule::kOneCompletion}},
    {Bug::kRetryBreaksOrder, 7, {Rule::kStrictOrder}},
    {Bug::kConcurrencyIgnored, 23, {Rule::kNoOverlap}},
    {Bug::kPlaceLeaked, 9, {Rule::kLiveness, Rule::kBulkShare}},
    {Bug::kRunAtIgnored, 2, {Rule::kNotEarly, Rule::kRetryTime}},
    {Bug::kRetryAtOnce, 3, {Rule::kRetryTime, Rule::kNotEarly}},
    {Bug::kSnoozeAtOnce, 4, {Rule::kNotEarly}},
    {Bug::kSnoozeUnbounded, 4, {Rule::kNotEarly}},
    {Bug::kRescheduleIgnored, 4, {Rule::kNotEarly}},
    {Bug::kDiscardOnIgnored, 3, {Rule::kDiscards, Rule::kRetries}},
    {Bug::kRetryOnIgnored, 26, {Rule::kDiscards, Rule::kRetries}},
    {Bug::kRetryOnFirst, 3, {Rule::kDiscards, Rule::kRetries}},
    {Bug::kInterruptionSpends, 1, {Rule::kAttempts}},
    {Bug::kInputFirst, 9, {Rule::kNothingLost}},
    {Bug::kShortWayForgets, 6, {Rule::kNothingLost, Rule::kUniqueHeld, Rule::kOnDone}},
    {Bug::kFollowUpTwice, 8, {Rule::kFollowUps}},
    {Bug::kCancelLost, 64, {Rule::kCancel}},
    {Bug::kCancelForgotten, 76, {Rule::kCancel}},
    {Bug::kDeletedKept, 33, {Rule::kDeleted}},
    {Bug::kExpiredStarts, 7, {Rule::kExpired}},
    {Bug::kNoticeNotAwaited, 8, {Rule::kDeaths}},
    {Bug::kIdentityStays, 3, {Rule::kWholeRows}},
    {Bug::kKeptForEver, 1, {Rule::kMemory}},
    {Bug::kTokenShrinks, 1, {Rule::kTokensGrow}},
    {Bug::kTokensAlike, 1, {Rule::kTokensDiffer}},
    {Bug::kMisroutedRuns,
     6,
     {Rule::kForwarded, Rule::kNoPhantom, Rule::kTokensGrow, Rule::kNoOverlap,
      Rule::kRightPartition}},
    {Bug::kBadRecordDropped, 3, {Rule::kBadRecord}},
    {Bug::kBadRecordUncut, 3, {Rule::kLiveness}},
    {Bug::kUnfair, 1, {Rule::kFair, Rule::kBulkShare}},
    {Bug::kWeightsLost, 357, {Rule::kWeights}},
    {Bug::kNewcomersFirst, 16, {Rule::kNewcomers}},
    {Bug::kLimitExceeded, 50, {Rule::kSlots, Rule::kSharedSlots, Rule::kKept}},
    {Bug::kSlotLeaked, 1, {Rule::kLiveness, Rule::kSlotsBack}},
    {Bug::kRateForgotten, 3, {Rule::kRate}},
    {Bug::kGateSleeps, 9, {Rule::kLiveness}},
    {Bug::kRestForgotten, 21, {Rule::kLiveness}},
    {Bug::kPauseIgnored, 3, {Rule::kPause}},
    {Bug::kPriorityIgnored, 49, {Rule::kFairOrder}},
    {Bug::kChunkCountedTwice, 4, {Rule::kWholeRows, Rule::kOnDone}},
    {Bug::kBulkKept, 6, {Rule::kBulkAgain}},
    {Bug::kBulkLookedAtLate, 1667, {Rule::kBulkAgain}},
    {Bug::kOnDoneIdAlone, 2, {Rule::kBulkAgain}},
    {Bug::kOnDoneTwice, 558, {Rule::kOnDone}},
    {Bug::kOnDoneForgotten, 16, {Rule::kOnDone}},
    {Bug::kBulksInTurn, 28, {Rule::kBulkShare}},
    {Bug::kBatchItemTwice,
     38,
     {Rule::kBatchOnce, Rule::kWholeRows, Rule::kDedup, Rule::kOneCompletion, Rule::kNotEarly}},
    {Bug::kBatchItemForgotten, 1, {Rule::kLiveness}},
    {Bug::kBatchOutOfOrder, 10, {Rule::kBatchOrder}},
    {Bug::kBatchAtOnce, 28, {Rule::kBatchDelay}},
    {Bug::kBatchRetriedMixed, 13, {Rule::kBatchWhole}},
    {Bug::kBatchCursorLeft, 28, {Rule::kCursor}},
    {Bug::kBatchMaxExceeded, 1, {Rule::kBatchMost, Rule::kBatchTarget}},
    {Bug::kBatchTargetIgnored, 1, {Rule::kBatchTarget}},
    {Bug::kBatchNotMeasured, 8, {Rule::kBatchTarget}},
    {Bug::kDelayWithoutCeiling, 1, {Rule::kBatchCeiling}},
    {Bug::kItemAnswerIgnored, 10, {Rule::kItemAnswer, Rule::kNotEarly, Rule::kAttempts}},
    {Bug::kLockIgnored, 5, {Rule::kUniqueRuns}},
    {Bug::kLockLeaked, 53, {Rule::kFolded, Rule::kMemory, Rule::kDeleted}},
    {Bug::kLocksForgotten,
     9,
     {Rule::kUniqueHeld, Rule::kMemory, Rule::kFolded, Rule::kUniqueQueued, Rule::kUniqueTtl}},
    {Bug::kLockOutlivesDelete, 1, {Rule::kDeleted, Rule::kFolded, Rule::kUniqueHeld}},
    {Bug::kFoldForgotten, 9, {Rule::kNewestArgs}},
    {Bug::kUniqueKeyLoose, 17, {Rule::kFolded, Rule::kNewestArgs}},
    {Bug::kQueuedLockLost, 2, {Rule::kUniqueQueued}},
    {Bug::kTtlForgotten, 5, {Rule::kUniqueTtl}},
    {Bug::kConflictDropped, 2, {Rule::kConflict}},
    {Bug::kSlotsNewestOnly, 8, {Rule::kSharedSlots}},
    {Bug::kSlotsAckedEarly, 8, {Rule::kSharedSlots}},
    {Bug::kSlotsAckedInWait, 96, {Rule::kSharedSlots}},
    {Bug::kSlotsReportLost, 2, {Rule::kLiveness, Rule::kSlotsBack}},
    {Bug::kSlotsKept, 10, {Rule::kSlotsBack, Rule::kLiveness}},
    {Bug::kRateUnshared, 1, {Rule::kSharedRate}},
    {Bug::kBreakerLetsTwo, 41, {Rule::kBreaker}},
    {Bug::kProbeAtOnce, 3, {Rule::kBreaker}},
    {Bug::kProbeLeaked, 3, {Rule::kLiveness}},
    {Bug::kBreakerNeverCloses, 9, {Rule::kBreakerCloses}},
    {Bug::kBreakerForgotten, 41, {Rule::kBreaker}},
    {Bug::kTurnKept, 31, {Rule::kTurn}},
    {Bug::kHoldsLost, 6, {Rule::kKept}},
    {Bug::kHoldsLeaked, 714, {Rule::kSlotsBack, Rule::kLiveness}},
    {Bug::kCheckpointAlone, 6, {Rule::kFollowUps}},
    {Bug::kCursorLost, 12, {Rule::kCursor}},
    {Bug::kCrashesKept, 71, {Rule::kCrashCount}},
    {Bug::kCrashesForgotten, 73, {Rule::kCrashCount}},
    {Bug::kRebuildSkips, 3, {Rule::kLiveness}},
    {Bug::kAdmitsInRestoration,
     218,
     {Rule::kDedup, Rule::kOneCompletion, Rule::kNoOverlap, Rule::kWholeRows, Rule::kTokensGrow,
      Rule::kBatchOnce},
     Ends::kMayCrash},
    {Bug::kOpensOnce, 3, {Rule::kLiveness}},
    {Bug::kHeartbeatIgnored, 12, {Rule::kTimeout}},
    {Bug::kTimeoutForgotten, 40, {Rule::kTimeout}},
    {Bug::kPoolOwnIgnored, 5, {Rule::kPlaces}},
    {Bug::kPoolWeightsIgnored, 1, {Rule::kPoolShares}},
    {Bug::kPoolStrictIgnored, 2, {Rule::kPoolStrict}},
    {Bug::kPoolClaims, 1, {Rule::kPoolShares}},
    {Bug::kPoolNotWoken, 1, {Rule::kPlacesUsed}},
};

[[nodiscard]] inline bool may_catch(const Known& known, std::string_view violation) {
  const std::string_view name = violation.substr(0, violation.find(':'));
  if (name == kCrashed) return known.ends == Ends::kMayCrash;
  if (name == kHung) return known.ends == Ends::kMayHang;
  return std::any_of(known.by.begin(), known.by.end(),
                     [name](Rule rule) { return name == to_string(rule); });
}

}  // namespace penstock::simulation
