#include "consumer/store/identities.h"

#include "state/rows/encoding.h"
#include "state/rows/keys.h"

namespace penstock {

void Identities::restored(std::uint64_t seq, Time now) {
  commit_seq_ = seq + 1;
  std::string bytes;
  if (view_.get(keys::kMetaJobs, &bytes)) rows_ = Cursor(bytes).u64();
  index_.forget_before(oldest_kept(now));
  filter_.restored(rows_);
}

bool Identities::check_and_admit(const Digest& digest) {
  if (index_.check_and_admit(digest)) return true;
  // The index knows ended jobs and live ones without a row, so one with a row has to be looked up.
  if (filter_.surely_absent(digest) || !row_key(digest)) return false;
  // The index has just taken it for a job without a row, which it is not.
  index_.remove(digest);
  return true;
}

std::optional<std::string> Identities::row_key(const Digest& digest) const {
  std::string key;
  if (rows_ == 0 || !view_.get(keys::identity(digest), &key)) return std::nullopt;
  return key;
}

void Identities::row_made(const Digest& digest) {
  ++rows_;
  filter_.added(digest);
  index_.remove(digest);  // known by its row from now on
}

void Identities::row_put(const Digest& digest, const std::string& key) {
  view_.put(keys::identity(digest), key);
}

void Identities::row_erased(const Digest& digest) {
  view_.erase(keys::identity(digest));
  --rows_;
}

void Identities::ended(const Digest& digest, Time now) {
  if (!remembers_) return index_.remove(digest);
  const std::uint32_t bucket = window_.bucket(now);
  // One row has the identities of one bucket, so that a bucket is forgotten by one range deletion.
  if (bucket != ended_bucket_) write_ended(commit_seq_);
  ended_bucket_ = bucket;
  put_digest(ended_digests_, digest);
  index_.end(digest, bucket);
}

void Identities::write_ended(std::uint64_t seq) {
  if (ended_digests_.empty()) return;
  view_.put_unseen(keys::dedup(ended_bucket_, seq), ended_digests_);
  ended_digests_.clear();
}

void Identities::save(std::uint64_t seq) {
  commit_seq_ = seq + 1;
  write_ended(seq);
  std::string bytes;
  put_u64(bytes, rows_);
  view_.put(keys::kMetaJobs, bytes);
}

void Identities::prune(Time now) {
  index_.forget_before(oldest_kept(now));
  const std::string oldest = keys::dedup_bucket(oldest_kept(now));
  bool any = false;
  view_.scan(keys::dedup_bucket(0), oldest, [&](std::string_view, std::string_view) {
    any = true;
    return false;
  });
  // Not without need: this is called every second.
  if (any) view_.erase_range_unseen(keys::dedup_bucket(0), oldest);
}

}  // namespace penstock
