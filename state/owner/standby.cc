#include "state/owner/standby.h"

namespace penstock {

Standby::Standby(Store& store, StateLog& log, const LeaseRules& rules, int rank)
    : store_(store), log_(log), rules_(rules), rank_(rank), follower_(store) {}

void Standby::give_up() {
  stage_ = Stage::kStopped;
  log_.stop_reading();
}

void Standby::begin_anew() {
  log_.stop_reading();
  // The old rows are not kept: the log has been cut by an owner that has carried them forward.
  if (!follower_.set_aside() || !store_.end_aside(false)) return give_up();
  stage_ = Stage::kBounds;
  log_.ask_bounds();
}

void Standby::bounds(const Result<Bounds>& bounds, Now now) {
  if (stage_ != Stage::kBounds) return;
  if (!bounds) {
    ask_at_ = now.boot + kAskAgainAfter;
    return;
  }
  if (!store_.kept_aside().empty() || !follower_.is_of(bounds->topic)) return give_up();
  Offset from = follower_.begin(bounds->start);
  const bool copied = !follower_.empty();
  if (copied && from >= bounds->end) return give_up();
  if (copied && from < bounds->start) {
    if (!follower_.set_aside() || !store_.end_aside(false)) return give_up();
    from = bounds->start;
  }
  stage_ = Stage::kReading;
  next_ = from;
  end_ = bounds->end;
  heard_at_ = now.boot;
  log_.read(from);
}

void Standby::records(std::span<const LogRecord> records, Now now) {
  for (const LogRecord& record : records) {
    if (stage_ != Stage::kReading) return;
    read_one(record, now);
  }
}

void Standby::read_one(const LogRecord& record, Now now) {
  if (record.offset < next_) return;
  if (record.offset > next_) return begin_anew();
  const bool is_news = next_ >= end_;
  next_ = record.offset.next();
  if (!record.value) return give_up();
  const auto verdict = follower_.feed(record.offset, *record.value, record.timestamp);
  if (!verdict || *verdict == Follower::Verdict::kMismatch) return give_up();
  if (*verdict == Follower::Verdict::kIgnored) return;
  heard_at_ = now.boot;
  was_released_here_ = follower_.released() && is_news;
  unsettled_ = true;
}

void Standby::out_of_range() {
  if (stage_ == Stage::kReading) begin_anew();
}

void Standby::tick(Now now) {
  if (stage_ != Stage::kBounds || !ask_at_ || now.boot < *ask_at_) return;
  ask_at_.reset();
  log_.ask_bounds();
}

void Standby::begin_settling(Instant now) {
  const Result<bool> begun = follower_.begin_settling();
  if (!begun) return give_up();
  if (!*begun) return;
  unsettled_ = false;
  settled_at_ = now;
}

void Standby::stop() {
  if (stage_ != Stage::kStopped) give_up();
  // An error shows again when the store is next used.
  static_cast<void>(follower_.settle());
}

bool Standby::is_vacant(Instant now) const {
  if (!is_current() || follower_.empty()) return false;
  const auto silence = now - heard_at_ - rank_ * kLeavesToTheFirst;
  if (was_released_here_) {
    const bool is_asked_for = follower_.asked_for() == follower_.epoch();
    return silence >= (is_asked_for ? kLeavesToTheAsker : std::chrono::seconds(0));
  }
  // A released log that was found so is nobody's: the group is about to give it to somebody.
  if (follower_.released()) return false;
  return silence >= rules_.take_over_wait(follower_.owners_lease());
}

}  // namespace penstock
