#include "state/log/follower.h"

#include "state/rows/digest.h"
#include "state/rows/encoding.h"
#include "state/rows/keys.h"
#include "state/store/batch.h"

namespace penstock {

Follower::Follower(Store& store) : store_(store) {
  const std::optional<LogPosition> position = store.position();
  if (!position) return;
  // A copy that survived a crash may be of a log that has since lost its end. Before anything is
  // added to the copy, the record that it ends with is read again and compared.
  started_ = check_local_ = true;
  at_ = position->at;
  epoch_ = position->epoch;
  seq_ = position->seq;
  hash_ = position->hash;
  released_ = position->released;
  root_ = position->root;
  log_ = position->log;
  load_generation();
}

void Follower::load_generation() {
  std::string bytes;
  if (store_.get(keys::kMetaGeneration, &bytes)) generation_ = Cursor(bytes).u32();
}

bool Follower::is_of(TopicUuid log) {
  // An empty copy belongs to no topic yet. A broker that tells no id leaves the known one in place.
  if (started_ && are_different(log_, log)) return false;
  if (log.known()) log_ = log;
  return true;
}

Offset Follower::begin(Offset log_start) const { return check_local_ ? at_ : log_start; }

Status Follower::settle() {
  if (Status status = store_.settle(); !status) return status;
  bytes_settled_ = bytes_read_;
  // The claim that named the generation may have been trimmed. The sweep has carried the row, but
  // it can only be read once the store has settled.
  if (!generation_) load_generation();
  return {};
}

Result<bool> Follower::begin_settling() {
  const Result<bool> begun = store_.begin_settling();
  if (begun && *begun) bytes_settled_ = bytes_read_;
  return begun;
}

std::optional<LeaseRow> Follower::stored_lease() const {
  std::string bytes;
  if (!store_.get(keys::kMetaLease, &bytes)) return std::nullopt;
  Cursor cursor(bytes);
  const Offset epoch{cursor.i64()};
  return LeaseRow{epoch, std::chrono::milliseconds(cursor.u32())};
}

std::chrono::milliseconds Follower::owners_lease() const {
  if (lease_) return *lease_;
  const std::optional<LeaseRow> stored = stored_lease();
  return stored && stored->epoch == epoch_ ? stored->lease : kUsualLease;
}

std::string encode(const LeaseRow& row) {
  std::string bytes;
  put_i64(bytes, row.epoch.value);
  put_u32(bytes, static_cast<std::uint32_t>(row.lease.count()));
  return bytes;
}

Status Follower::set_aside() {
  if (Status status = store_.set_aside(); !status) return status;
  started_ = check_local_ = released_ = false;
  root_.reset();
  last_time_.reset();
  generation_.reset();
  nonce_.reset();
  lease_.reset();
  at_ = epoch_ = asked_for_ = Offset{-1};
  seq_ = hash_ = bytes_read_ = bytes_settled_ = 0;
  return {};
}

bool Follower::whole() const {
  if (!root_ || root_->value == 0) return true;
  std::string bytes;
  if (!store_.get(keys::kMetaBase, &bytes)) return false;
  const Offset base{Cursor(bytes).i64()};
  // The base of a log precedes the commit that carries it.
  return *root_ <= base && base < at_;
}

// Everything that the copy lacks is before this offset.
Offset Follower::root_of(Offset offset, const LogEntry& entry) {
  const auto* claim = std::get_if<Claim>(&entry);
  const bool first_of_all = claim && claim->previous.value < 0;
  return offset.value == 0 && !first_of_all ? offset.next() : offset;
}

Result<Follower::Verdict> Follower::feed(Offset offset, std::string_view record, Time timestamp) {
  bytes_read_ += record.size();
  if (check_local_) return check_local(offset, record, timestamp);
  const Result<LogEntry> entry = decode_log_entry(record);
  if (!entry) return tl::unexpected(entry.error());
  if (const auto* request = std::get_if<HandOverRequest>(&*entry)) {
    asked_for_ = request->epoch;
    return Verdict::kIgnored;
  }
  if (!started_) root_ = root_of(offset, *entry);
  if (const auto* claim = std::get_if<Claim>(&*entry)) return feed_claim(offset, *claim, timestamp);
  if (const auto* commit = std::get_if<Commit>(&*entry)) {
    return feed_placed(offset, *commit, false, record, timestamp);
  }
  const auto& release = std::get<Release>(*entry);
  return feed_placed(offset, {release.epoch, release.seq, release.chain, {}}, true, record,
                     timestamp);
}

Follower::Verdict Follower::check_local(Offset offset, std::string_view record, Time timestamp) {
  check_local_ = false;  // only the first record must be the one with which the copy ends
  if (offset != at_ || bytes_hash(record) != hash_) return Verdict::kMismatch;
  last_time_ = timestamp;
  return Verdict::kHonoured;
}

Follower::Verdict Follower::feed_claim(Offset offset, const Claim& claim, Time timestamp) {
  // Of two claims that replace the same epoch, the first wins, and the second no longer names the
  // current epoch.
  if (started_ && claim.previous != epoch_) return Verdict::kIgnored;
  started_ = true;
  // seq_, hash_ and at_ stay: seq and chain continue across epochs, and the store's position is
  // that of the last commit, so a copy that is restored later reads this claim again.
  epoch_ = offset;
  nonce_ = claim.nonce;
  lease_ = claim.lease;
  released_ = false;
  last_time_ = timestamp;
  generation_ = claim.generation;
  return Verdict::kHonoured;
}

Result<Follower::Verdict> Follower::feed_placed(Offset offset, const Commit& entry, bool release,
                                                std::string_view record, Time timestamp) {
  const bool follows =
      entry.epoch == epoch_ && !released_ && entry.seq == seq_ + 1 && entry.chain == hash_;
  if (started_ && !follows) return Verdict::kIgnored;
  started_ = true;
  // A root that is not a claim: the claim of its epoch has not been read.
  if (epoch_ != entry.epoch) {
    nonce_.reset();
    lease_.reset();
  }
  epoch_ = entry.epoch;
  seq_ = entry.seq;
  // The bytes of the record are hashed and not its rows, so the chain also covers epoch, seq and
  // the preceding hash.
  hash_ = bytes_hash(record);
  at_ = offset;
  released_ = release;
  last_time_ = timestamp;
  // An empty batch still has a header. A release is passed to the store too, because the position
  // must record it.
  static const std::string kNoRows(Batch{}.bytes());
  const LogPosition position{at_, epoch_, seq_, hash_, released_, root(), log_};
  if (Status status = store_.restore(release ? kNoRows : entry.rows, position); !status) {
    return tl::unexpected(status.error());
  }
  return Verdict::kHonoured;
}

}  // namespace penstock
