// How the room of one commit is divided (state/log/log_entry.h: kMaxCommitRows). A commit is one
// record, so whatever a task changes between two commits must fit; what does not drops the tenure,
// and the same work comes again.
//
// Every step of a task looks first at how much has gathered (PartitionTask::unsaved_bytes, which
// counts all that the next commit will write), and begins nothing beyond kMaxGatheredBytes. One
// step more may lie on top of that: a record, an outcome, a piece of pruning. So each step is
// bounded too.
#pragma once

#include <cstddef>

#include "consumer/job/handler.h"
#include "state/log/log_entry.h"
#include "state/log/outbox.h"
#include "topics/record/dead_record.h"
#include "topics/record/job_record.h"
#include "topics/record/record_headers.h"

namespace penstock {

// With this much gathered nothing further is begun.
inline constexpr std::size_t kMaxGatheredBytes = 2 << 20;

// The largest rows that stand for one record: the job with its cursor, its dead record, the job
// that its bulk asked for.
inline constexpr std::size_t kMaxJobRowBytes =
    kMaxValueBytes + kMaxHeadersBytes + kMaxCursorBytes + (16 << 10);
inline constexpr std::size_t kMaxDeadRowBytes =
    kMaxDeadRecordBytes + kMaxReservedHeadersBytes + (16 << 10);

// What one step adds at most: an outcome that ends a job as dead and its bulk with it, or one with
// follow-ups, or a whole batch (kMaxBatchCost, with its errors and follow-ups).
inline constexpr std::size_t kMaxStepBytes = 4 << 20;
static_assert(kMaxJobRowBytes + kMaxValueBytes + kMaxHeadersBytes + kMaxValueBytes <=
              kMaxStepBytes);
static_assert(kMaxJobRowBytes + kMaxFollowUpBytes + kMaxValueBytes <= kMaxStepBytes);
static_assert(kMaxDeadRowBytes <= kMaxStepBytes);

// The rows of messages that were acknowledged meanwhile are erased, whatever has gathered: a key
// each.
inline constexpr std::size_t kMaxErasedMessageBytes = Outbox::kMaxPending * 100;
static_assert(kMaxGatheredBytes + kMaxStepBytes + kMaxErasedMessageBytes <= kMaxCommitRows);

// Rows that are erased in one step because nothing is left of what they tell.
inline constexpr std::size_t kMaxForgottenPerStep = 1000;

}  // namespace penstock
