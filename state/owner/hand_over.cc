#include "state/owner/hand_over.h"

#include <algorithm>

namespace penstock {
namespace {

// Of the owner, before `now`. The brokers' clock and this machine's differ; a wrong silence costs
// time only.
std::chrono::nanoseconds silence_of(const HandOver::Owner& owner, Now now) {
  if (!owner.heard_at) return std::chrono::nanoseconds(0);
  return std::max<std::chrono::nanoseconds>(std::chrono::nanoseconds(0),
                                            now.wall - *owner.heard_at);
}

}  // namespace

bool HandOver::may_answer(const Owner& owner, const LeaseRules& rules, Now now) {
  // As little as the clocks may differ.
  return silence_of(owner, now) < rules.take_over_wait(owner.lease) - 2 * rules.broker_skew;
}

void HandOver::begin(const Owner& owner, Now now) {
  epoch_ = owner.epoch;
  seq_ = owner.seq;
  lease_ = owner.lease;
  began_at_ = ask_at_ = now.boot;
  has_asked_ = is_current_ = false;
  ends_at_ = Offset{0};
  last_at_ = now.boot + at_most_;
  const auto left = patience() - silence_of(owner, now);
  over_at_ = std::min(now.boot + std::max<std::chrono::nanoseconds>(left, kLastChance), last_at_);
}

bool HandOver::takes_end(Offset next) {
  if (is_current_ || !ends_at_ || next < *ends_at_) return false;
  ends_at_.reset();
  return true;
}

void HandOver::see_end(Offset next, Offset end) {
  ends_at_ = end;
  is_current_ = end.value - next.value <= kFewRecords;
}

void HandOver::read(Offset epoch, std::uint64_t seq, Instant now) {
  if (epoch != epoch_ || seq == seq_) return;
  seq_ = seq;
  over_at_ = std::min(now + patience(), last_at_);
}

}  // namespace penstock
