#include "state/owner/owner.h"

#include <algorithm>
#include <utility>

#include "state/rows/digest.h"
#include "state/store/batch.h"
#include "topics/values/check.h"

namespace penstock {
namespace {

// The number of a request's append. A claim's is 0, and those of commits follow.
constexpr std::uint64_t kRequestNumber = ~std::uint64_t{0};

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
      restore_(store, options_.nonce, options_.last.epoch, options_.lease),
      hand_over_(options_.ask_at_most) {}

void Owner::start() { log_.ask_bounds(); }

void Owner::drop(const std::string& reason) {
  if (ended()) return;
  phase_ = Phase::kDropped;
  log_.stop_reading();
  host_.dropped(reason);
}

// -- Claim and restore

void Owner::bounds(const Result<Bounds>& bounds, Now now) {
  if (phase_ == Phase::kAsking) {
    // Without an answer, the owner is asked all the same.
    hand_over_.see_end(restore_.next(), bounds ? bounds->end : restore_.next());
    return ask_or_claim(now);
  }
  const bool is_end = phase_ == Phase::kPreread && std::exchange(asks_end_, false);
  // A late answer, to an earlier tenure or to a question that was asked again.
  if (phase_ != Phase::kBounds && !is_end) return;
  if (!bounds) return drop("the state log's bounds are not available: " + bounds.error().message);
  bounds_at_ = now.boot;
  if (is_end) {
    bounds_.end = bounds->end;
    if (restore_.next() >= bounds_.end) claim_or_ask(now);
    return;
  }
  // Checked in every tenure, because the refusal that kept the copy is forgotten when the process
  // ends, and going on with what the log has is the operator's decision.
  if (const std::string kept = store_.kept_aside(); !kept.empty()) {
    return refuse("an earlier copy of its rows is kept in " + kept +
                      ", because the log had less. Move it away to go on with what the log has",
                  now);
  }
  bounds_ = *bounds;
  // Before the length is judged: a topic that was created again is usually shorter as well, and the
  // operator should be told the true reason, and without ShortLog's delay.
  const TopicUuid before = restore_.copy().log();
  if (!restore_.is_of(bounds_.topic)) {
    return refuse_with_copy(
        "was deleted and created again: its id is " + to_text(bounds_.topic) +
            ", and this worker's copy of the rows is of the topic with the id " + to_text(before),
        now);
  }
  if (options_.last.log.known() && options_.last.log != bounds_.topic) {
    options_.last = {};
    restore_.forget_last();
  }
  const Offset copied = restore_.copy().begin(bounds_.start);
  const bool is_short = !restore_.copy().empty() && copied >= bounds_.end;
  const ShortLog::Verdict verdict = short_log_.see(is_short, now.boot);
  if (verdict == ShortLog::Verdict::kUnsure) return;
  // Alarming, because the copy holds only records that every replica had acknowledged.
  if (verdict == ShortLog::Verdict::kShort) {
    return refuse_with_copy("ends at offset " + std::to_string(bounds_.end.value) +
                                ", and this worker's copy of the rows holds offset " +
                                std::to_string(copied.value) +
                                ": acknowledged records have gone from the log's end",
                            now);
  }
  phase_ = Phase::kPreread;
  begin_reading(now);
}

void Owner::begin_reading(Now now) {
  Offset from = restore_.copy().begin(bounds_.start);
  if (from < bounds_.start || from >= bounds_.end) {
    // The local copy ends before the log begins: the log has been cut since.
    if (!restore_.copy().empty()) set_local_copy_aside();
    if (ended()) return;
    from = bounds_.start;
  }
  restore_.read_from(from);
  log_.read(from);
  // An empty log has no record whose arrival would end the preread.
  if (phase_ == Phase::kPreread && from >= bounds_.end) claim_or_ask(now);
}

void Owner::set_local_copy_aside() {
  if (Status status = restore_.set_aside(); !status) host_.broken(status.error().message);
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
  if (phase_ <= Phase::kAsking) {
    // The bounds that were known are outdated: the log's start has moved since they were asked for.
    phase_ = Phase::kBounds;
    return log_.ask_bounds();
  }
  // Too late to read again from the start: the claim has already been sent.
  drop("the local copy is not of this log, or the log was cut while it was read");
}

// The log has been read to its end, as it was.
void Owner::claim_or_ask(Now now) {
  // What the owner has written while the log was read shows that it lives. Without that, it would
  // seem to be silent, and be displaced.
  if (phase_ == Phase::kPreread && restore_.is_owned() &&
      now.boot - bounds_at_ > options_.lease.lease / 5) {
    if (!std::exchange(asks_end_, true)) log_.ask_bounds();
    return;
  }
  // The lease of the owner may be in a row, which can be read only once the copy has settled.
  if (Status status = restore_.settle(); !status) return host_.broken(status.error().message);
  const Follower& copy = restore_.copy();
  const HandOver::Owner owner{copy.epoch(), copy.seq(), copy.last_time(), copy.owners_lease()};
  // One that claims only after its own tenure asks nobody, and drops.
  const bool asks = restore_.is_owned() && options_.claims != Claims::kOwnLast;
  if (!asks || !HandOver::may_answer(owner, options_.lease, now)) return append_claim(now);
  if (options_.claims == Claims::kNobody) return drop(kTaken);
  phase_ = Phase::kAsking;
  hand_over_.begin(owner, now);
  ask_or_claim(now);
}

void Owner::ask_or_claim(Now now) {
  const Follower& copy = restore_.copy();
  // Another worker has claimed, and is asked anew.
  if (copy.epoch() != hand_over_.epoch() && !copy.released()) return claim_or_ask(now);
  if (copy.released() || hand_over_.is_over(now.boot)) return append_claim(now);
  if (hand_over_.takes_end(restore_.next())) log_.ask_bounds();
  // The owner works on meanwhile. Once it has been asked, jobs would wait for the write.
  if (hand_over_.is_current() && reads()) {
    if (Status status = restore_.settle(); !status) return host_.broken(status.error().message);
  }
  if (!hand_over_.is_due(now.boot, options_.may_ask())) return;
  const HandOverRequest request{options_.nonce.own, hand_over_.epoch(), options_.instance};
  if (log_.append(kRequestNumber, encode(request))) hand_over_.asked(now.boot);
}

void Owner::append_claim(Now now) {
  // So can the generation that the claim names.
  if (Status status = restore_.settle(); !status) return host_.broken(status.error().message);
  if (options_.claims == Claims::kOwnLast && !restore_.is_last()) return drop(kTaken);
  // Reading continues meanwhile. If another claim reaches the log first, the copy sees it, and
  // finish_restore() finds that the epoch is not this owner's.
  phase_ = Phase::kClaiming;
  const auto seconds =
      std::chrono::duration_cast<std::chrono::seconds>(now.wall.time_since_epoch());
  // A state that begins gets the time as its generation: greater than that of any state that was
  // here before, so its tokens and message sources differ from theirs.
  generation_ = restore_.copy().generation().value_or(static_cast<std::uint32_t>(seconds.count()));
  claim_.emplace();
  claim_->record = encode(Claim{options_.nonce.own, generation_, restore_.copy().epoch(),
                                options_.instance, options_.lease.in_claim()});
  claim_->sent = now.boot;
  send_waiting(now);
}

void Owner::claimed(const Appended& result, Now now) {
  if (result.error) return drop(failed("the claim", result));
  // The epoch is unknown, so nothing could be committed in it. The next claim recognises this one
  // by its nonce.
  if (!result.offset) return drop("the claim was acknowledged without an offset");
  epoch_ = *result.offset;
  phase_ = Phase::kRestoring;
  if (restore_.next() > epoch_)
    finish_restore(now);  // it was read before its acknowledgement arrived
}

void Owner::records(std::span<const LogRecord> records, Now now) {
  for (const LogRecord& record : records) {
    if (ended()) return;
    if (gap_) {
      gap_record(record, now);
    } else if (phase_ >= Phase::kPreread && phase_ <= Phase::kRestoring) {
      restore_record(record, now);
    }
  }
}

void Owner::restore_record(const LogRecord& record, Now now) {
  // One fetch may have brought records from beyond the claim. If a rival claim is among them, the
  // gap check of the first commit finds it.
  if (phase_ == Phase::kRestoring && record.offset > epoch_) return;
  const Result<Restore::Step> step = restore_.feed(record);
  if (!step) return refuse(step.error().message, now);
  if (*step == Restore::Step::kKnown) return;
  if (*step == Restore::Step::kHole) return restart_from_log_start();
  if (*step == Restore::Step::kMismatch) {
    log_.stop_reading();
    // The copy holds only records that every replica had acknowledged, and the log has lost some.
    return refuse_with_copy(
        "has another record at offset " + std::to_string(record.offset.value) +
            " than the one that this worker's copy of the rows was made from: acknowledged "
            "records have gone from the log's end, and others have taken their places",
        now);
  }
  if (phase_ == Phase::kPreread && restore_.next() >= bounds_.end) return claim_or_ask(now);
  if (phase_ == Phase::kAsking) {
    hand_over_.read(restore_.copy().epoch(), restore_.copy().seq(), now.boot);
    return ask_or_claim(now);
  }
  if (phase_ == Phase::kRestoring && restore_.next() > epoch_) finish_restore(now);
}

void Owner::finish_restore(Now now) {
  log_.stop_reading();
  const Follower& copy = restore_.copy();
  // Either the claim did not replace the current epoch, so no reader honours it, or another claim
  // that has been read meanwhile has replaced it.
  if (copy.epoch() != epoch_) return drop("another claim came first");
  if (Status status = restore_.settle(); !status) return host_.broken(status.error().message);
  if (!copy.whole()) {
    // What was restored is not kept, because the topic may be whole again when the next process starts.
    // The copy that was set aside is kept.
    if (Status status = store_.end_aside(true); !status)
      return host_.broken(status.error().message);
    if (Status status = store_.discard(); !status) return host_.broken(status.error().message);
    return refuse(
        "begins past its base: records were removed that no owner had given up. Somebody else cut "
        "the log, retention is on, or the topic was deleted and created again while a worker wrote "
        "to it; restore the topic from a replica or a backup",
        now);
  }
  if (Status status = store_.end_aside(false); !status) return host_.broken(status.error().message);
  commits_.restored(epoch_, copy.seq(), copy.hash(), claim_->sent);
  generation_ = copy.generation().value_or(generation_);
  // From the sending: the successor counts its wait from the broker's timestamp of the claim, which
  // cannot be earlier than that.
  lease_until_ = claim_->sent + options_.lease.lease;
  // The claim's time is known by the brokers' clocks only. Now is later, so the wait is never too
  // short.
  const Predecessor& predecessor = restore_.predecessor();
  wait_until_ = now.boot + predecessor.wait(copy.stored_lease());
  since_ = epoch_;
  if (predecessor.replaced_last()) {
    since_ = options_.last.since;
    // After this process's own epoch, only the rest of its own earlier wait is left.
    wait_until_ = std::max(now.boot, options_.last.waited_until);
  }
  phase_ = Phase::kWaiting;
  host_.restored(now);
  // A wait of zero ends here, so that attempts can start in the same pass.
  tick(now);
}

void Owner::out_of_range(Now) {
  if (ended()) return;
  // Only this owner may trim the log, and never beyond what it has counted.
  if (gap_) return drop("a gap in the state log was cut by somebody else");
  if (phase_ >= Phase::kPreread && phase_ <= Phase::kRestoring) restart_from_log_start();
}

void Owner::tick(Now now) {
  if (phase_ == Phase::kBounds && short_log_.ask_again(now.boot)) log_.ask_bounds();
  if (phase_ == Phase::kAsking) ask_or_claim(now);
  if (ended()) return;
  // Nothing may wait forever.
  const auto too_long = [&](Instant since) {
    return now.boot - since > options_.lease.give_up_append();
  };
  if (claim_ && !claim_->taken && too_long(claim_->sent)) {
    drop(no_room("the claim"));
  } else if (!commits_.empty() && too_long(commits_.front().sent)) {
    const PendingRecord& front = commits_.front();
    // Without this, an append that was acknowledged but is not in the log would be waited for
    // forever.
    drop(front.acknowledged ? "a commit was acknowledged but cannot be found in the log"
         : front.taken      ? "a commit was not acknowledged in time"
                            : no_room("a commit"));
  }
  if (ended()) return;
  send_waiting(now);
  if (phase_ != Phase::kWaiting || now.boot < wait_until_) return;
  phase_ = Phase::kRunning;
}

// -- Commits

bool Owner::may_commit() const { return restored() && !commits_.full() && !waits_for_room(); }

std::uint64_t Owner::commit(std::string_view rows, Now now) {
  PENSTOCK_CHECK(may_commit(), "a commit needs a restored owner with room in flight");
  commits_.add(encode(Commit{epoch_, commits_.seq() + 1, commits_.hash(), rows}), false, now.boot);
  send_waiting(now);
  return commits_.seq();
}

void Owner::release(Now now) {
  // A release tells the successor not to wait. As long as this owner's own wait lasts, attempts of
  // its predecessor may be running, and a release would hide that.
  PENSTOCK_CHECK(phase_ == Phase::kRunning, "only an owner whose wait is over releases");
  phase_ = Phase::kReleasing;
  commits_.add(encode(Release{epoch_, commits_.seq() + 1, commits_.hash()}), true, now.boot);
  send_waiting(now);
}

void Owner::send_waiting(Now now) {
  if (claim_ && !claim_->taken && log_.append(claim_->number, claim_->record)) {
    claim_->taken = true;
    // The lease counts from here: while the claim waited for room, it was in no log.
    claim_->sent = now.boot;
    claim_->record.clear();
  }
  const PendingRecord* last = commits_.waiting();
  if (last != nullptr && log_.append(last->number, last->record)) commits_.taken(now.boot);
}

void Owner::appended(std::uint64_t number, const Appended& result, Now now) {
  // Whether a request is in the log, its reader knows; if it does not answer, it is asked again.
  if (ended() || number == kRequestNumber) return;
  if (number == 0) return claimed(result, now);
  if (result.error) return drop(failed("a commit", result));
  if (commits_.acknowledged(number, result.offset) == nullptr) return;
  // While a gap is being read, gap_record() confirms the commits.
  if (!gap_) confirm_ready(now);
}

void Owner::confirm_ready(Now now) {
  while (!ended() && !commits_.empty() && commits_.front().acknowledged) {
    const Offset expected = commits_.last_counted().next();
    if (commits_.front().offset != expected) {
      // Either the producer did not tell the offset, or other records precede this one. One of them
      // may be a claim that has ended this tenure, and then the commit does not count, acknowledged
      // or not.
      gap_ = expected;
      return log_.read(expected);
    }
    confirm_front(expected, now);
  }
}

void Owner::gap_record(const LogRecord& record, Now now) {
  if (record.offset < *gap_) return;
  if (record.offset > *gap_ || !record.value) return drop("a gap in the state log was cut");
  gap_ = record.offset.next();
  const PendingRecord& front = commits_.front();
  // Its bytes contain epoch, seq and chain, so no other record is equal to it.
  if (*record.value == front.record) {
    gap_.reset();
    log_.stop_reading();
    confirm_front(record.offset, now);
    return confirm_ready(now);
  }
  const Result<LogEntry> entry = decode_log_entry(*record.value);
  if (!entry) return refuse("cannot be read: " + entry.error().message, now);
  if (const auto* claim = std::get_if<Claim>(&*entry); claim && claim->previous == epoch_) {
    return drop("another worker has claimed the partition");
  }
  const auto* request = std::get_if<HandOverRequest>(&*entry);
  if (request && request->epoch == epoch_) is_asked_for_ = true;
  // Before the acknowledged offset, any other record changes nothing, such as a commit of a
  // displaced owner.
  if (front.offset && record.offset >= *front.offset) {
    drop("a commit was acknowledged but is not in the log");
  }
}

void Owner::confirm_front(Offset at, Now now) {
  const PendingRecord front = commits_.count_front(at);
  const LogPosition position{at,
                             epoch_,
                             front.seq,
                             bytes_hash(front.record),
                             front.release,
                             restore_.copy().root(),
                             restore_.copy().log()};
  const Result<LogEntry> entry = decode_log_entry(front.record);
  PENSTOCK_CHECK(entry.has_value(), "an owner reads its own records");
  static const std::string kNoRows(Batch{}.bytes());
  const auto* commit = std::get_if<Commit>(&*entry);
  if (Status status = store_.apply(commit ? commit->rows : std::string_view(kNoRows), position);
      !status) {
    return host_.broken(status.error().message);
  }
  lease_until_ = std::max(lease_until_, front.sent + options_.lease.lease);
  // Last: the host may end the tenure from within.
  if (!front.release) return host_.counted(front.seq, now);
  phase_ = Phase::kReleased;
  host_.released();
}

}  // namespace penstock
