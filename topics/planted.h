// Bugs that can be switched on where the simulation is tested (tests/simulation): each breaks one
// rule, and the checker must notice. Only there: everywhere else planted() is false while
// compiling, and nothing of it is left in the program.
#pragma once

#include <cstdint>
#include <string_view>

namespace penstock {

enum class Bug : std::uint8_t {
  kNone,
  // The state log.
  kConfirmAtAck,         // a commit counts when it is acknowledged, whatever lies before it
  kOffsetAssumed,        // an acknowledgement without offset: the next one, surely
  kDoubtBelieved,        // or it is in the log, surely, when a later record of the owner is
  kDoubtKept,            // or it is waited for for ever
  kLeaseFromAnyAck,      // a commit that does not count yet renews the lease
  kWaitWithoutMargin,    // the new owner waits for the lease alone
  kNoWait,               // or not at all
  kClaimsDoNotCount,     // the wait is counted from the last commit, over claims
  kReleaseWithAttempts,  // released while attempts run
  kReleaseBeforeWait,    // released before its own wait is over
  kFullBufferDrops,      // a commit that finds the log's buffer full ends the tenure
  kRefusalDoubted,       // a message that is refused as too large may have arrived, surely
  kOutboxHighest,        // the receiver takes any message above the highest seen
  kNeverJumps,           // nor goes on behind what will not come any more
  kGapForgotten,         // nor takes what lies behind a gap before its sender has moved on
  kHolesForgotten,       // what it leaves out behind a gap is not taken when it comes after all
  kOldestIsOwn,          // a message says that all before it were acknowledged
  kForeignMessages,      // a message to another partition is taken for one's own
  kEmitWhenSent,         // a message leaves before its commit counts
  kJumpTaken,            // a jump in the log does not discard the local copy
  kCarryFromStore,       // a sweep carries rows without the commits in flight
  kCutOneFurther,        // the log is cut behind the sweep's first record
  kCutWhenSent,          // before the sweep's last commit counts
  kCutWithoutCopy,       // without the rows that live
  kLogSizeForgotten,     // an owner counts only what it has read and written itself
  kStartWithoutLease,    // attempts start when the lease is over
  kNeverStopped,         // and go on
  kReaderEpoch,          // a reader takes commits of any epoch
  kReaderChain,          // and those that do not follow
  kResumeLag,            // handlers run for a moment before the watchdog looks
  kOwnEpochSkipped,      // claiming again after oneself: no wait, not even one's own unfinished one
  kOwnClaimsAllFutile,  // nor for another's, where a claim of one's own that has worked lies between
  kKilledForgotten,     // what overlaps with a killed attempt that runs on is not held back
  kLingersOn,           // it runs on under a lease that was claimed after another worker's
  kReleaseBesideKilled,  // released while a killed attempt runs on
  kRetentionSilent,      // a log that somebody else has cut is restored from
  kRootForgotten,        // an earlier process's copy is whole, wherever it was begun
  kRecreatedTaken,       // a topic that was created again is taken for the one before
  kCopyDropped,          // what the log may have lost is not kept aside
  kOutboxNotAgain,       // what was acknowledged behind a lost message is not sent again
  kOutboxForgotten,      // the messages of an earlier owner stay
  kOverlayForgetsEarly,  // rows are looked for in the store before it has written them
  // The core.
  kDedupForgotten,      // identities are lost at a restore
  kRetryBreaksOrder,    // strict: a job that waits for its retry lets others pass
  kConcurrencyIgnored,  // an account's attempts are not counted
  kPlaceLeaked,         // an attempt's end does not wake its account
  kRunAtIgnored,
  kRetryAtOnce,
  kSnoozeAtOnce,
  kSnoozeUnbounded,    // as short as the handler asks
  kRescheduleIgnored,  // the command is read, and the job keeps its time
  kDiscardOnIgnored,   // whatever fails is retried
  kRetryOnIgnored,
  kRetryOnFirst,        // what is in retry_on is retried although it is in discard_on too
  kInterruptionSpends,  // an attempt
  kInputFirst,          // the input's position moves a commit before the last job's row
  kShortWayForgets,     // a job that leaves no row leaves no identity either
  kFollowUpTwice,
  kCancelLost,       // of a job that waits for its time
  kCancelForgotten,  // by the owner after the one whose attempt was asked to stop
  kDeletedKept,      // a job that was deleted while it ran
  kExpiredStarts,
  kExpiryKept,  // of a job that ends before its first row, and another of its id expires by it
  kNoticeNotAwaited,  // what was in flight at a death starts before that has been read
  kIdentityStays,     // the identity row of a job that has ended
  kKeptForEver,       // ended jobs are not pruned
  kTokenShrinks,
  kTokensAlike,    // in all partitions
  kMisroutedRuns,  // where it lies
  kBadRecordDropped,
  kBadRecordUncut,  // however large it is
  kUnfair,          // a service is not charged
  kWeightsLost,     // of an account that was full
  kNewcomersFirst,  // before all who wait, and nobody is too old for that
  // Flow control.
  kLimitExceeded,      // one attempt more than there are slots
  kSlotLeaked,         // an attempt that fails keeps its slot
  kRateForgotten,      // starts are not counted
  kGateSleeps,         // a slot that becomes free wakes nobody
  kRowsNotWoken,       // a line whose jobs are rows only, when the one goes that it waits with
  kRestForgotten,      // accounts for which there was no room in memory
  kRestOvertaken,      // by what comes when there is room again
  kKeptBehindWaiting,  // what a job keeps that waits behind one that may wait for it
  kRateKept,           // a start that a rate allows, for a job that waits for something else
  kPauseIgnored,       // of an account
  kPriorityIgnored,
  kChunkCountedTwice,    // of one index
  kBulkKept,             // that has ended, for ever
  kBulkLookedAtLate,     // and one that lacked a chunk when its time came is kept for a month
  kOnDoneIdAlone,        // of a bulk's id, whichever bulk of that id it was
  kOnDoneTwice,          // when a dead chunk of a bulk that has ended runs again
  kOnDoneForgotten,      // when the last chunk did not succeed
  kBulksInTurn,          // one bulk after the other
  kBatchItemTwice,       // a batch leaves its last job in the line
  kBatchItemForgotten,   // a folded job does not end with the one that stood for it
  kBatchOutOfOrder,      // the last job of a batch goes first
  kBatchAtOnce,          // nothing is collected
  kBatchRetriedMixed,    // a batch that has failed, with others
  kBatchCursorLeft,      // with whom it was, when another leads the batch
  kBatchMaxExceeded,     // by one item
  kBatchTargetIgnored,   // `max` alone decides
  kBatchNotMeasured,     // how long items take
  kDelayWithoutCeiling,  // a steady stream postpones a hand-over for ever
  kItemAnswerIgnored,    // an item shares the attempt's outcome although it has one of its own
  kLockIgnored,          // of a unique key, when a job starts
  kLockLeaked,           // by a job that is cancelled
  kLockOutlivesDelete,   // that a deleted job holds until a time
  kLocksForgotten,       // at a restore
  kFoldForgotten,        // the newest arguments
  kUniqueKeyLoose,       // the values at `by` make no difference
  kQueuedLockLost,       // of a job that waits for its time
  kTtlForgotten,         // at the job's end
  kConflictDropped,      // where it should be told in the dead topic
  // Shared limits.
  kSlotsNewestOnly,     // the owner counts the newest target alone
  kSlotsAckedEarly,     // a partition answers a recall while more attempts run
  kSlotsAckedInWait,    // and before its take-over wait is over
  kSlotsReportLost,     // a report is noted and not sent
  kSlotsKept,           // slots without use are not given back
  kRateUnshared,        // each partition takes the whole rate
  kBreakerLetsTwo,      // another attempt beside the probe
  kProbeAtOnce,         // after a probe that failed
  kProbeLeaked,         // one that neither failed nor succeeded runs for ever
  kBreakerNeverCloses,  // whatever succeeds
  kBreakerForgotten,    // at a restore
  // Long jobs.
  kTurnKept,         // a job that has run for its max_runtime goes on in its place
  kHoldsLost,        // what a job keeps between iterations is given up
  kHoldsLeaked,      // when it ends in between, for ever
  kCheckpointAlone,  // what a checkpoint asks for is not produced with it
  kCursorLost,       // a checkpoint is not saved
  kCrashesKept,      // an iteration that ends does not make them forgotten
  kCrashesForgotten,
  // Of a take-over in pieces.
  kRebuildSkips,         // a piece that ends between two lines of an account goes on behind it
  kAdmitsInRestoration,  // records are taken before everything is known
  kOpensOnce,            // a gate wakes no more lines than fit into one step
  // Of the executors.
  kHeartbeatIgnored,  // the time of an attempt is over in spite of it
  kTimeoutForgotten,
  // Places that several queues share.
  kPoolOwnIgnored,      // a queue takes more than its own
  kPoolWeightsIgnored,  // all alike
  kPoolStrictIgnored,
  kPoolClaims,    // for the time in which a queue had nothing to do
  kPoolNotWoken,  // who waits for a place that comes free
  kCount
};

[[nodiscard]] std::string_view to_string(Bug bug);

#ifdef PENSTOCK_PLANTED_BUGS
[[nodiscard]] bool planted(Bug bug);
#else
[[nodiscard]] constexpr bool planted(Bug) { return false; }
#endif

}  // namespace penstock
