#include "state/owner/short_log.h"

namespace penstock {

ShortLog::Verdict ShortLog::see(bool is_short, Instant now) {
  if (!is_short) {
    since_.reset();
    return Verdict::kLongEnough;
  }
  if (!since_) since_ = now;
  // ask_at_ is not set again: the verdict is final, and the owner refuses.
  if (now - *since_ >= kFor) return Verdict::kShort;
  ask_at_ = now + kAskAgain;
  return Verdict::kUnsure;
}

bool ShortLog::ask_again(Instant now) {
  if (!ask_at_ || now < *ask_at_) return false;
  ask_at_.reset();
  return true;
}

}  // namespace penstock
