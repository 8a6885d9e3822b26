#include "state/owner/restore.h"

namespace penstock {

Restore::Restore(Store& store, ClaimNonce nonce, Offset last, const LeaseRules& rules)
    : follower_(store), unknown_(nonce, last, rules), predecessor_(unknown_) {}

Status Restore::set_aside() {
  predecessor_ = unknown_;
  return follower_.set_aside();
}

Result<Restore::Step> Restore::feed(const LogRecord& record) {
  if (record.offset < next_) return Step::kKnown;
  if (record.offset > next_) return Step::kHole;
  next_ = record.offset.next();
  if (!record.value) return failure("holds a record without value");
  // Taken before the record is applied: what a claim replaces is the state before it.
  const Predecessor::Held before = held();
  const std::uint64_t seq = follower_.seq();
  const Result<Follower::Verdict> verdict =
      follower_.feed(record.offset, *record.value, record.timestamp);
  if (!verdict) return failure("cannot be read: " + verdict.error().message);
  if (*verdict == Follower::Verdict::kMismatch) return Step::kMismatch;
  // Judged by what the follower made of the record. An ignored claim or commit changes neither.
  if (follower_.epoch() != before.epoch || before.empty) {
    predecessor_.claimed(before, follower_.epoch(), follower_.nonce(), record.timestamp);
  } else if (follower_.seq() != seq) {
    predecessor_.worked();
  }
  return Step::kRead;
}

Predecessor::Held Restore::held() const {
  return {follower_.epoch(), follower_.last_time(), follower_.released(), follower_.empty(),
          follower_.claimed_lease()};
}

}  // namespace penstock
