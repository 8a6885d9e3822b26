#include "state/log/owner.h"

#include <algorithm>

#include "state/rows/digest.h"
#include "state/store/batch.h"
#include "topics/values/check.h"

namespace penstock {
namespace {

std::string no_room(const std::string& what) {
  return what +
         " has found no room in the log's buffer: partitions write more than the brokers accept. "
         "Increase the buffer (queue.buffering.max.kbytes), or work on fewer partitions per "
         "process";
}

// The reason of a tenure that ends with a failed append.
std::string failed(const std::string& what, const Appended& result) {
  if (result.refusal != Refusal::kTooLarge) {
    return what + "'s outcome is unknown: " + *result.error;
  }
  return what + " is larger than its topic takes (" + *result.error +
         "): raise the state topic's max.message.bytes, as `penstock topics create` does";
}

}  // namespace

Owner::Owner(Store& store, StateLog& log, OwnerHost& host, Options options)
    : store_(store),
      log_(log),
      host_(host),
      options_(std::move(options)),
      follower_(store),
      predecessor_(options_.nonce, options_.last.epoch) {}

void Owner::start() { log_.ask_bounds(); }

void Owner::drop(const std::string& reason) {
  if (ended()) return;
  phase_ = Phase::kDropped;
  log_.stop_reading();
  host_.dropped(reason);
}

// -- Claim and restore

void Owner::bounds(const Result<Bounds>& bounds, Now now) {
  if (phase_ != Phase::kBounds) return;
  if (!bounds) return drop("the state log's bounds are not available: " + bounds.error().message);
  if (const std::string kept = store_.kept_aside(); !kept.empty()) {
    return refuse("an earlier copy of its rows is kept in " + kept +
                      ", because the log had less. Move it away to go on with what the log has",
                  now);
  }
  bounds_ = *bounds;
  const TopicUuid before = follower_.log();
  if (!follower_.is_of(bounds_.topic)) {
    return refuse_with_copy(
        "was deleted and created again: its id is " + to_text(bounds_.topic) +
            ", and this worker's copy of the rows is of the topic with the id " + to_text(before),
        now);
  }
  if (is_too_short(now)) return;
  phase_ = Phase::kPreread;
  begin_reading(now);
}

// True is alarming: the copy holds only records that every replica had acknowledged.
bool Owner::is_too_short(Now now) {
  if (follower_.empty() || follower_.begin(bounds_.start) < bounds_.end) {
    short_since_.reset();
    return false;
  }
  if (!short_since_) short_since_ = now.boot;
  if (now.boot - *short_since_ < kShortFor) {
    ask_bounds_at_ = now.boot + kAskShortAgain;
  } else {
    refuse_with_copy("ends at offset " + std::to_string(bounds_.end.value) +
                         ", and this worker's copy of the rows holds offset " +
                         std::to_string(follower_.begin(bounds_.start).value) +
                         ": acknowledged records have gone from the log's end",
                     now);
  }
  return true;
}

void Owner::begin_reading(Now now) {
  next_read_ = follower_.begin(bounds_.start);
  if (next_read_ < bounds_.start || next_read_ >= bounds_.end) {
    // The local copy ends before the log begins: the log has been cut since.
    if (!follower_.empty()) set_local_copy_aside();
    if (ended()) return;
    next_read_ = bounds_.start;
  }
  log_.read(next_read_);
  if (phase_ == Phase::kPreread && next_read_ >= bounds_.end) append_claim(now);
}

void Owner::set_local_copy_aside() {
  predecessor_ = Predecessor(options_.nonce, options_.last.epoch);
  if (Status status = follower_.set_aside(); !status) host_.broken(status.error().message);
}

void Owner::refuse(const std::string& reason, Now now) {
  host_.refused(reason, now);
  drop("refused: " + reason);
}

// Keeps the copy, because it may be all that is left.
void Owner::refuse_with_copy(const std::string& reason, Now now) {
  set_local_copy_aside();
  if (ended()) return;
  if (Status status = store_.end_aside(true); !status) return host_.broken(status.error().message);
  const std::string kept = store_.kept_aside();
  refuse(reason + (kept.empty() ? ""
                                : ". The copy is kept in " + kept +
                                      ": restore the topic, or move the copy away to go on with "
                                      "what the log has"),
         now);
}

void Owner::restart_from_log_start() {
  set_local_copy_aside();
  if (ended()) return;
  log_.stop_reading();
  if (phase_ == Phase::kPreread) {
    phase_ = Phase::kBounds;
    return log_.ask_bounds();
  }
  // Too late to read again from the start: the claim has already been sent.
  drop("the local copy is not of this log, or the log was cut while it was read");
}

void Owner::append_claim(Now now) {
  if (Status status = follower_.settle(); !status) return host_.broken(status.error().message);
  if (options_.only_after_last && !predecessor_.is_last(held())) return drop(kTaken);
  phase_ = Phase::kClaiming;
  const auto seconds =
      std::chrono::duration_cast<std::chrono::seconds>(now.wall.time_since_epoch());
  generation_ = follower_.generation().value_or(static_cast<std::uint32_t>(seconds.count()));
  waiting_claim_ =
      encode(Claim{options_.nonce.own, generation_, follower_.epoch(), options_.instance});
  claim_waits_ = true;
  waits_since_ = now.boot;
  send_claim(now);
}

void Owner::send_claim(Now now) {
  claim_sent_ = now.boot;
  if (!log_.append(0, waiting_claim_)) return;
  claim_waits_ = false;
  waiting_claim_.clear();
}

void Owner::claimed(const Appended& result, Now now) {
  if (result.error) return drop(failed("the claim", result));
  if (!result.offset) return drop("the claim was acknowledged without an offset");
  epoch_ = *result.offset;
  phase_ = Phase::kRestoring;
  if (next_read_ > epoch_) finish_restore(now);  // it was read before its acknowledgement arrived
}

void Owner::records(std::span<const LogRecord> records, Now now) {
  for (const LogRecord& record : records) {
    if (ended()) return;
    if (reading_gap_) {
      gap_record(record, now);
    } else if (phase_ >= Phase::kPreread && phase_ <= Phase::kRestoring) {
      restore_record(record, now);
    }
  }
}

void Owner::restore_record(const LogRecord& record, Now now) {
  if (phase_ == Phase::kRestoring && record.offset > epoch_) return;
  if (record.offset < next_read_) return;
  if (record.offset > next_read_) return restart_from_log_start();  // offsets are dense
  next_read_ = record.offset.next();
  if (!record.value) return refuse("holds a record without value", now);
  const Predecessor::Held before = held();
  const std::uint64_t seq = follower_.seq();
  const Result<Follower::Verdict> verdict =
      follower_.feed(record.offset, *record.value, record.timestamp);
  if (!verdict) return refuse("cannot be read: " + verdict.error().message, now);
  if (*verdict == Follower::Verdict::kMismatch) return mismatch(record.offset, now);
  if (follower_.epoch() != before.epoch || before.empty) {
    predecessor_.claimed(before, follower_.epoch(), follower_.nonce(), record.timestamp);
  } else if (follower_.seq() != seq) {
    predecessor_.worked();
  }
  if (phase_ == Phase::kPreread && next_read_ >= bounds_.end) return append_claim(now);
  if (phase_ == Phase::kRestoring && next_read_ > epoch_) finish_restore(now);
}

void Owner::finish_restore(Now now) {
  log_.stop_reading();
  if (follower_.epoch() != epoch_) return drop("another claim came first");
  if (Status status = follower_.settle(); !status) return host_.broken(status.error().message);
  if (!follower_.whole()) return refuse_torn(now);
  if (Status status = store_.end_aside(false); !status) return host_.broken(status.error().message);
  seq_ = follower_.seq();
  hash_ = follower_.hash();
  last_offset_ = epoch_;
  generation_ = follower_.generation().value_or(generation_);
  lease_until_ = claim_sent_ + options_.lease.lease;
  last_commit_ = claim_sent_;
  wait_until_ = now.boot + predecessor_.wait(options_.lease);
  since_ = epoch_;
  if (predecessor_.replaced_last()) {
    since_ = options_.last.since;
    // After this process's own epoch, only the rest of its own earlier wait is left.
    wait_until_ = std::max(now.boot, options_.last.waited_until);
  }
  phase_ = Phase::kWaiting;
  host_.restored(now);
  tick(now);
}

// What was restored is not kept, because the topic may be whole again when the next process starts.
// The copy that was set aside is kept.
void Owner::refuse_torn(Now now) {
  if (Status status = store_.end_aside(true); !status) return host_.broken(status.error().message);
  if (Status status = store_.discard(); !status) return host_.broken(status.error().message);
  refuse(
      "begins past its base: records were removed that no owner had given up. Somebody else cut "
      "the log, retention is on, or the topic was deleted and created again while a worker wrote "
      "to it; restore the topic from a replica or a backup",
      now);
}

// The copy holds only records that every replica had acknowledged, and the log has lost some.
void Owner::mismatch(Offset at, Now now) {
  log_.stop_reading();
  refuse_with_copy(
      "has another record at offset " + std::to_string(at.value) +
          " than the one that this worker's copy of the rows was made from: acknowledged "
          "records have gone from the log's end, and others have taken their places",
      now);
}

Predecessor::Held Owner::held() const {
  return {follower_.epoch(), follower_.last_time(), follower_.released(), follower_.empty()};
}

void Owner::out_of_range(Now) {
  if (ended()) return;
  if (reading_gap_) return drop("a gap in the state log was cut by somebody else");
  if (phase_ >= Phase::kPreread && phase_ <= Phase::kRestoring) restart_from_log_start();
}

void Owner::tick(Now now) {
  if (phase_ == Phase::kBounds && ask_bounds_at_ && now.boot >= *ask_bounds_at_) {
    ask_bounds_at_.reset();
    log_.ask_bounds();
  }
  if (ended() || gives_up(now)) return;
  if (claim_waits_) send_claim(now);
  send_last(now);
  if (phase_ != Phase::kWaiting || now.boot < wait_until_) return;
  phase_ = Phase::kRunning;
}

// Nothing may wait forever.
bool Owner::gives_up(Now now) {
  const auto too_long = [&](Instant since) {
    return now.boot - since > options_.lease.give_up_append();
  };
  if (claim_waits_ && too_long(waits_since_)) {
    drop(no_room("the claim"));
  } else if (!pending_.empty() && too_long(pending_.front().sent)) {
    const Pending& front = pending_.front();
    // Without this, an append that was acknowledged but is not in the log would be waited for
    // forever.
    drop(front.acknowledged ? "a commit was acknowledged but cannot be found in the log"
         : front.taken      ? "a commit was not acknowledged in time"
                            : no_room("a commit"));
  }
  return ended();
}

// -- Commits

bool Owner::may_commit() const {
  return restored() && pending_.size() < kMaxInFlight && !waits_for_room();
}

std::uint64_t Owner::commit(std::string_view rows, Now now) {
  PENSTOCK_CHECK(may_commit(), "a commit needs a restored owner with room in flight");
  append_pending(encode(Commit{epoch_, seq_ + 1, hash_, rows}), false, now);
  return seq_;
}

void Owner::release(Now now) {
  PENSTOCK_CHECK(phase_ == Phase::kRunning, "only an owner whose wait is over releases");
  phase_ = Phase::kReleasing;
  append_pending(encode(Release{epoch_, seq_ + 1, hash_}), true, now);
}

void Owner::append_pending(std::string record, bool release, Now now) {
  seq_ += 1;
  hash_ = bytes_hash(record);
  last_commit_ = now.boot;
  pending_.push_back({++number_, seq_, std::move(record), release, now.boot, false, false, {}});
  send_last(now);
}

void Owner::send_last(Now now) {
  if (pending_.empty() || pending_.back().taken) return;
  Pending& last = pending_.back();
  if (!log_.append(last.number, last.record)) return;
  last.taken = true;
  last.sent = last_commit_ = now.boot;
}

void Owner::appended(std::uint64_t number, const Appended& result, Now now) {
  if (ended()) return;
  if (number == 0) return claimed(result, now);
  if (result.error) return drop(failed("a commit", result));
  const auto found = std::find_if(pending_.begin(), pending_.end(),
                                  [&](const Pending& pending) { return pending.number == number; });
  if (found == pending_.end()) return;
  found->acknowledged = true;
  found->offset = result.offset;
  if (!reading_gap_) confirm_ready(now);
}

void Owner::confirm_ready(Now now) {
  while (!ended() && !pending_.empty() && pending_.front().acknowledged) {
    const Offset expected = last_offset_.next();
    if (pending_.front().offset != expected) {
      reading_gap_ = true;
      next_read_ = expected;
      return log_.read(expected);
    }
    confirm_front(expected, now);
  }
}

void Owner::gap_record(const LogRecord& record, Now now) {
  if (record.offset < next_read_) return;
  if (record.offset > next_read_ || !record.value) return drop("a gap in the state log was cut");
  next_read_ = record.offset.next();
  const Pending& front = pending_.front();
  if (*record.value == front.record) {
    reading_gap_ = false;
    log_.stop_reading();
    confirm_front(record.offset, now);
    return confirm_ready(now);
  }
  const Result<LogEntry> entry = decode_log_entry(*record.value);
  if (!entry) return refuse("cannot be read: " + entry.error().message, now);
  if (const auto* claim = std::get_if<Claim>(&*entry); claim && claim->previous == epoch_) {
    return drop("another worker has claimed the partition");
  }
  if (front.offset && record.offset >= *front.offset) {
    drop("a commit was acknowledged but is not in the log");
  }
}

void Owner::confirm_front(Offset at, Now now) {
  const Pending front = std::move(pending_.front());
  pending_.pop_front();
  last_offset_ = at;
  const LogPosition position{at,
                             epoch_,
                             front.seq,
                             bytes_hash(front.record),
                             front.release,
                             follower_.root(),
                             follower_.log()};
  const Result<LogEntry> entry = decode_log_entry(front.record);
  PENSTOCK_CHECK(entry.has_value(), "an owner reads its own records");
  static const std::string kNoRows(Batch{}.bytes());
  const auto* commit = std::get_if<Commit>(&*entry);
  if (Status status = store_.apply(commit ? commit->rows : std::string_view(kNoRows), position);
      !status) {
    return host_.broken(status.error().message);
  }
  lease_until_ = std::max(lease_until_, front.sent + options_.lease.lease);
  if (!front.release) return host_.counted(front.seq, now);
  phase_ = Phase::kReleased;
  host_.released();
}

}  // namespace penstock
