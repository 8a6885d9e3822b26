// The local copy of a partition's rows while the log is read into it, from the copy's end up to the
// owner's claim, and what has been learned on the way about the owner that the claim replaces.
//
// - Offsets are dense: a record beyond the next offset means that the log was cut meanwhile.
// - A copy that is set aside takes what was learned with it, because everything is read again.
//
// Used on the thread of the partition's loop.
#pragma once

#include <cstdint>

#include "state/log/follower.h"
#include "state/owner/predecessor.h"
#include "topics/log.h"

namespace penstock {

class Restore {
 public:
  // `last`: the epoch of the loop's own last tenure, or -1. The store must outlive this.
  Restore(Store& store, ClaimNonce nonce, Offset last, const LeaseRules& rules);

  [[nodiscard]] const Follower& copy() const { return follower_; }
  // See Follower.
  [[nodiscard]] bool is_of(TopicUuid log) { return follower_.is_of(log); }
  // The loop's own last tenure was of another log. Only before the read begins.
  void forget_last() {
    unknown_.forget_last();
    predecessor_ = unknown_;
  }
  [[nodiscard]] Status settle() { return follower_.settle(); }
  [[nodiscard]] Status set_aside();

  // The read begins at `from`.
  void read_from(Offset from) { next_ = from; }
  [[nodiscard]] Offset next() const { return next_; }  // the next offset that the read will show

  enum class Step : std::uint8_t {
    kRead,
    kKnown,     // before the next offset
    kHole,      // beyond the next offset
    kMismatch,  // the record differs from the one that the local copy was made from
  };
  // An error continues a sentence that begins with the topic's name.
  [[nodiscard]] Result<Step> feed(const LogRecord& record);

  // Whether a claim that is made now would replace the loop's own last tenure.
  [[nodiscard]] bool is_last() const { return predecessor_.is_last(held()); }
  // Whether an owner may be working that would be displaced by a claim that is made now, and that can
  // be asked to hand over.
  [[nodiscard]] bool is_owned() const {
    return !follower_.empty() && !follower_.released() && !is_last() && !predecessor_.is_futile();
  }
  // What the claim replaces, once it has been read.
  [[nodiscard]] const Predecessor& predecessor() const { return predecessor_; }

 private:
  [[nodiscard]] Predecessor::Held held() const;

  Follower follower_;
  Predecessor unknown_;
  Predecessor predecessor_;
  Offset next_{};
};

}  // namespace penstock
