#include "consumer/store/job_store.h"

#include <utility>

#include "state/rows/encoding.h"
#include "state/rows/keys.h"
#include "topics/values/check.h"

namespace penstock {

void JobStore::restored(std::uint64_t seq, Time now) {
  identities_.restored(seq, now);
  due_.reset();
  expiries_.reset();
}

// -- Memory

void JobStore::release(LiveJob* job) {
  // Holds are in memory alone: nothing could release them afterwards.
  PENSTOCK_CHECK(!job->keeps(), "what leaves memory holds nothing");
  unsaved_.forget(job);
  pool_.give_back(job);
}

LiveJob* JobStore::load(const std::string& key) {
  std::string bytes;
  return view_.get(key, &bytes) ? load(key, bytes) : nullptr;
}

LiveJob* JobStore::load(std::string_view key, std::string_view row) {
  LiveJob* const job = pool_.take();
  const Status read = job->row.assign(row);
  PENSTOCK_CHECK(read.has_value(), "a job row follows its grammar");
  job->digest = identity_digest(job->row.account, job->row.id);
  job->row_key = key;
  job->identity_row = true;
  return job;
}

LiveJob* JobStore::load_by_id(std::string_view account, std::string_view id) {
  const auto key = identities_.row_key(identity_digest(account, id));
  return key ? load(*key) : nullptr;
}

std::optional<std::string> JobStore::row_of(std::string_view account, std::string_view id) {
  const auto key = identities_.row_key(identity_digest(account, id));
  std::string bytes;
  if (!key || !view_.get(*key, &bytes)) return std::nullopt;
  return bytes;
}

// -- Rows

std::string JobStore::key_of(const LiveJob& job, Place place, Time until) const {
  switch (place) {
    case Place::kLine:
      return order_.key_of(job);
    case Place::kDue:
      return keys::due(job.row.run_at, job.row.seq);
    case Place::kUnknownType:
      return keys::unknown_type(job.row.type, job.row.seq);
    case Place::kEnded:
      return keys::ended(until, job.row.seq);
  }
  PENSTOCK_CHECK(false, "every place has a key");
}

void JobStore::move(LiveJob* job, Place place, Time until) {
  put(job, key_of(*job, place, until));
  if (place == Place::kDue) due_.added(job->row.run_at, job->row.seq);
}

void JobStore::put(LiveJob* job, std::string key) {
  // A job has one row at most.
  if (!job->row_key.empty() && job->row_key != key) view_.erase(job->row_key);
  view_.put(key, job->row.encode());
  if (!job->identity_row) {
    job->identity_row = true;
    identities_.row_made(job->digest);
    if (!is_terminal(job->row.state) && job->row.expires_at != Time{}) {
      // With the first row, because a job that ends before it has one needs no expiry.
      std::string who;
      put_text(who, job->row.account);
      put_text(who, job->row.id);
      view_.put(keys::expiry(job->row.expires_at, job->row.seq), who);
      expiries_.added(job->row.expires_at, job->row.seq);
    }
  }
  if (job->row_key != key) identities_.row_put(job->digest, key);
  job->row_key = std::move(key);
}

void JobStore::erase_row(LiveJob* job) {
  if (job->row_key.empty()) return;
  view_.erase(job->row_key);
  job->row_key.clear();
}

void JobStore::leave_due(const LiveJob& job) {
  if (job.row_key.empty() || job.row_key.front() != keys::kDue) return;
  const keys::TimeKey due = keys::parse_time(job.row_key);
  due_.removed(due.at, due.seq);
}

// -- Time

std::vector<LiveJob*> JobStore::load_due(const keys::TimeKey& first, std::size_t most, Time now) {
  std::vector<LiveJob*> jobs;
  std::size_t bytes = 0;
  keys::TimeKey last = first;
  // Up to and including what is due in this millisecond.
  view_.scan(keys::due(first.at, first.seq), keys::due(now + Duration{1}, JobSeq{INT64_MIN}),
             [&](std::string_view key, std::string_view row) {
               jobs.push_back(load(key, row));
               last = keys::parse_time(key);
               bytes += row.size();
               // By bytes, too: jobs may be as large as a record.
               return jobs.size() < most && bytes < kMaxDueBytesPerScan;
             });
  PENSTOCK_CHECK(!jobs.empty(), "the index of due jobs knows rows that are there");
  due_.removed_up_to(last);
  return jobs;
}

std::vector<std::string> JobStore::parked_jobs(const KnowsType& knows) {
  std::vector<std::string> found;
  std::string from(1, keys::kUnknownType);
  const std::string end = keys::after_prefix(from);
  for (bool skipped = true; skipped;) {
    skipped = false;
    view_.scan(from, end, [&](std::string_view key, std::string_view) {
      Cursor cursor(key.substr(1));
      const std::string_view type = cursor.bytes(cursor.u8());
      if (knows(type)) {
        found.emplace_back(key);
        return found.size() < kMaxRowsPerStep;
      }
      // All jobs of a type that is still unknown are passed over at once.
      from = keys::after_prefix(keys::unknown_type_prefix(type));
      skipped = true;
      return false;
    });
  }
  return found;
}

std::optional<JobStore::Expiry> JobStore::take_expired(Time now) {
  const auto due = expiries_.first_due(now);
  if (!due) return std::nullopt;
  // First, so that an expiry whose row is gone does not come up for ever.
  expiries_.removed(due->at, due->seq);
  Expiry expiry{*due, {}, {}};
  const std::string key = keys::expiry(due->at, due->seq);
  std::string who;
  if (!view_.get(key, &who)) return expiry;
  view_.erase(key);
  Cursor cursor(who);
  expiry.account = cursor.text();
  expiry.id = cursor.text();
  return expiry;
}

void JobStore::forget_expiry(LiveJob* job) {
  const Time at = std::exchange(job->row.expires_at, Time{});
  // A job that has never had a row has no row of its expiry either.
  if (at == Time{} || !job->identity_row) return;
  view_.erase(keys::expiry(at, job->row.seq));
  expiries_.removed(at, job->row.seq);
}

// -- Ends

void JobStore::end(LiveJob* job, Time kept_until, Time now) {
  const JobRow& row = job->row;
  if (row.expires_at != Time{} && job->identity_row) {
    view_.erase(keys::expiry(row.expires_at, row.seq));
    expiries_.removed(row.expires_at, row.seq);
  }
  // The row first: giving a job its first row takes its identity out of the index, and ended() puts
  // it there.
  kept_until == Time{} ? forget(job) : move(job, Place::kEnded, kept_until);
  identities_.ended(job->digest, now);
}

void JobStore::forget(LiveJob* job) {
  erase_row(job);
  if (std::exchange(job->identity_row, false)) identities_.row_erased(job->digest);
}

bool JobStore::prune(Time now) {
  std::vector<std::string> over;
  view_.scan(std::string(1, keys::kEnded), keys::ended(now, JobSeq{0}),
             [&](std::string_view key, std::string_view) {
               over.emplace_back(key);
               return over.size() < kMaxRowsPerStep;
             });
  for (const std::string& key : over) {
    LiveJob* const job = load(key);
    PENSTOCK_CHECK(job, "a scanned row is there");
    // Their rows are erased together below: they lie side by side.
    identities_.row_erased(job->digest);
    release(job);
  }
  view_.erase_rows(over);
  return over.size() >= kMaxRowsPerStep;
}

// -- Commit

void JobStore::save(const std::function<void(LiveJob*)>& saved) {
  while (!unsaved_.empty()) {
    LiveJob* const job = unsaved_.last();
    move(job, Place::kLine);
    unsaved_.forget(job);
    saved(job);
  }
}

}  // namespace penstock
