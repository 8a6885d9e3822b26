// How the room in one commit is divided (state/log/log_entry.h: kMaxCommitRows). A commit is one
// record, so everything that a task changes between two commits must fit into it. If it does not,
// the tenure is dropped, and the next one has the same work to do.
//
// Every step of a task first looks at how much has gathered (PartitionTask::unsaved_bytes, which
// counts everything that the next commit will write), and begins nothing beyond kMaxGatheredBytes.
// One more step may come on top of that: a record, an outcome, a step of pruning. So each step is
// bounded, too.
#pragma once

#include <cstddef>

#include "consumer/job/handler.h"
#include "state/log/log_entry.h"
#include "state/log/outbox.h"
#include "topics/record/dead_record.h"
#include "topics/record/job_record.h"
#include "topics/record/record_headers.h"

namespace penstock {

// Once this much has gathered, nothing further is begun.
inline constexpr std::size_t kMaxGatheredBytes = 2 << 20;

// The largest rows that stand for one record: the job with its cursor, its dead record, the job
// that its bulk asked for.
inline constexpr std::size_t kMaxJobRowBytes =
    kMaxValueBytes + kMaxHeadersBytes + kMaxCursorBytes + (16 << 10);
inline constexpr std::size_t kMaxDeadRowBytes =
    kMaxDeadRecordBytes + kMaxReservedHeadersBytes + (16 << 10);

// The most that one step adds: an outcome that ends a job as dead and its bulk with it, or one with
// follow-ups, or a whole batch (kMaxBatchCost, with its errors and follow-ups).
inline constexpr std::size_t kMaxStepBytes = 4 << 20;
static_assert(kMaxJobRowBytes + kMaxValueBytes + kMaxHeadersBytes + kMaxValueBytes <=
              kMaxStepBytes);
static_assert(kMaxJobRowBytes + kMaxFollowUpBytes + kMaxValueBytes <= kMaxStepBytes);
static_assert(kMaxDeadRowBytes <= kMaxStepBytes);

// The rows of messages that have been acknowledged are erased regardless of how much has gathered:
// one key per message.
inline constexpr std::size_t kMaxErasedMessageBytes = Outbox::kMaxPending * 100;
// Messages that share a row are in no row yet: to the dead topic, and to the events topic.
inline constexpr std::size_t kMaxGatheredMessageBytes = 2 * Outbox::kMaxSharedRowBytes;
static_assert(kMaxGatheredBytes + kMaxStepBytes + kMaxErasedMessageBytes +
                  kMaxGatheredMessageBytes <=
              kMaxCommitRows);

// The most rows that one step erases because what they tell is no longer needed.
inline constexpr std::size_t kMaxForgottenPerStep = 1000;

}  // namespace penstock
