#include "consumer/bulk/bulks.h"

#include <algorithm>
#include <vector>

#include "state/rows/keys.h"
#include "topics/values/check.h"

namespace penstock {
namespace {

constexpr Duration kLookAgainAfter{1000};  // at a bulk with live chunks
constexpr std::size_t kHeadBytes = 512;    // a row of counters with its keys, at most
constexpr std::size_t kPageBytes = Bulks::kChunksPerPage / 8;

std::uint64_t* counter_of(BulkRow& row, JobState state) {
  switch (state) {
    case JobState::kSucceeded:
      return &row.succeeded;
    case JobState::kDead:
      return &row.dead;
    case JobState::kCancelled:
    // Uniqueness has folded or dropped it, so it will not run.
    case JobState::kDuplicate:
      return &row.cancelled;
    case JobState::kExpired:
      return &row.expired;
    default:
      return nullptr;
  }
}

}  // namespace

Bulks::Entry* Bulks::entry(const std::string& prefix) {
  if (const auto found = entries_.find(prefix); found != entries_.end()) return &found->second;
  std::string bytes;
  if (!view_.get(keys::bulk_head(prefix), &bytes)) return nullptr;
  Result<BulkRow> row = BulkRow::decode(bytes);
  PENSTOCK_CHECK(row.has_value(), "a bulk's row follows its grammar");
  return &entries_.emplace(prefix, Entry{std::move(*row), false, {}}).first->second;
}

// The bulk that counts this chunk. Null if it has been forgotten, even where a later bulk has its
// id.
Bulks::Entry* Bulks::entry_of(const JobRow& chunk) {
  Entry* const found = entry(keys::bulk_prefix(chunk.account, chunk.bulk));
  return found && chunk.seq >= found->row.first_seq ? found : nullptr;
}

Bulks::Entry& Bulks::begin(const std::string& prefix, const BulkRef& chunk, JobSeq seq, Time now) {
  Entry& made = entries_[prefix];
  made.row.size = static_cast<std::uint64_t>(chunk.size);
  made.row.first_seq = seq;
  made.row.first_at = now;
  view_.put(keys::bulk_check(now + keep_, prefix), {});
  return made;
}

void Bulks::touch(Entry& entry) {
  if (entry.dirty) return;
  entry.dirty = true;
  unsaved_bytes_ += kHeadBytes;
}

bool Bulks::set_index(Entry& entry, const std::string& prefix, std::int64_t index, bool value) {
  const auto number = static_cast<std::uint32_t>(index / kChunksPerPage);
  const auto [at, fresh] = entry.pages.try_emplace(number);
  Page& page = at->second;
  // A page has no row before a chunk of it has come.
  if (fresh && !view_.get(keys::bulk_page(prefix, number), &page.bits))
    page.bits.assign(kPageBytes, '\0');
  const auto bit = static_cast<std::size_t>(index % kChunksPerPage);
  const char mask = static_cast<char>(1 << (bit % 8));
  char& byte = page.bits[bit / 8];
  const bool was = (byte & mask) != 0;
  if (was == value) return was;
  byte = static_cast<char>(byte ^ mask);
  if (!page.dirty) unsaved_bytes_ += kHeadBytes + kPageBytes;
  page.dirty = true;
  return was;
}

bool Bulks::admitted(std::string_view account, const BulkRef& chunk, JobSeq seq, Time now) {
  const std::string prefix = keys::bulk_prefix(account, chunk.id);
  Entry* found = entry(prefix);
  if (!found) found = &begin(prefix, chunk, seq, now);
  BulkRow& row = found->row;
  touch(*found);
  if (row.done() || static_cast<std::uint64_t>(chunk.index) >= row.size) return false;
  // Another job has this index. Counting both would make the bulk done before its last chunk.
  if (set_index(*found, prefix, chunk.index, true)) return false;
  ++row.admitted;
  row.last_at = now;
  if (!chunk.on_done.empty() && !row.has_on_done()) {
    // Its size is in the head, so that on_done_bytes() need not read it.
    row.on_done_bytes = chunk.on_done.size();
    view_.put(keys::bulk_on_done(prefix), std::string(chunk.on_done));
  }
  return true;
}

std::optional<Bulks::AllEnded> Bulks::ended(const JobRow& chunk, Time now) {
  Entry* const found = entry_of(chunk);
  if (!found) return std::nullopt;
  BulkRow& row = found->row;
  touch(*found);
  const std::string prefix = keys::bulk_prefix(chunk.account, chunk.bulk);
  std::uint64_t* const counter = counter_of(row, chunk.state);
  PENSTOCK_CHECK(counter, "a chunk that ends has ended");
  ++*counter;
  if (row.first_end == Time{}) row.first_end = now;
  row.last_end = now;
  // Chunks that were retried by command end twice, but the bulk's job is produced once.
  if (row.ended() < row.size || row.done()) return std::nullopt;
  row.done_at = now;
  // If prune() has seen the bulk while it lacked a chunk, its next check may be as late as that of
  // an abandoned one.
  view_.put(keys::bulk_check(now + keep_, prefix), {});
  AllEnded all{row, {}};
  if (!row.has_on_done() || !view_.get(keys::bulk_on_done(prefix), &all.on_done))
    return std::nullopt;
  return all;
}

std::size_t Bulks::on_done_bytes(const JobRow& chunk) {
  const Entry* const found = chunk.bulk_index < 0 ? nullptr : entry_of(chunk);
  return found && !found->row.done() ? found->row.on_done_bytes : 0;
}

void Bulks::keeps_row(const JobRow& chunk, Time until) {
  Entry* const found = entry_of(chunk);
  if (!found || until <= found->row.rows_until) return;
  found->row.rows_until = until;
  touch(*found);
}

void Bulks::run_again(const JobRow& chunk) {
  Entry* const found = entry_of(chunk);
  std::uint64_t* const counter = found ? counter_of(found->row, chunk.state) : nullptr;
  if (!counter || *counter == 0) return;
  --*counter;
  touch(*found);
}

void Bulks::save() {
  for (auto& [prefix, entry] : entries_) {
    if (entry.dirty) view_.put(keys::bulk_head(prefix), entry.row.encode());
    entry.dirty = false;
    for (auto& [number, page] : entry.pages) {
      if (page.dirty) view_.put(keys::bulk_page(prefix, number), page.bits);
      page.dirty = false;
    }
    // Only what the next commit will most likely need again stays in memory.
    if (entry.pages.size() > kKeptPages) entry.pages.clear();
  }
  if (entries_.size() > kKeptBulks) entries_.clear();
  unsaved_bytes_ = 0;
}

// Until when the bulk is kept; nothing if it can be forgotten.
std::optional<Time> Bulks::kept_until(const BulkRow& row, Time now) const {
  Time until = now + std::max(keep_, kLookAgainAfter);
  if (row.live() == 0) {
    const Duration kept = row.done() ? keep_ : std::max(keep_, kAbandonedAfter);
    until = std::max(std::max(row.last_end, row.last_at) + kept, row.rows_until + kLookAgainAfter);
  }
  return until > now ? std::optional(until) : std::nullopt;
}

// Returns how many rows it has erased. The head goes last, so that a bulk that is half forgotten is
// found again.
std::size_t Bulks::forget(const std::string& prefix, std::size_t most) {
  std::vector<std::string> rows;
  view_.scan(keys::bulk_on_done(prefix), keys::after_prefix(prefix),
             [&](std::string_view key, std::string_view) {
               rows.emplace_back(key);
               return rows.size() < most;
             });
  view_.erase_rows(rows);
  if (rows.size() < most) view_.erase(keys::bulk_head(prefix));
  entries_.erase(prefix);
  return rows.size() + 1;
}

bool Bulks::prune(Time now) {
  std::vector<std::string> due;
  view_.scan(std::string(1, keys::kBulkCheck), keys::bulk_checks_before(now),
             [&](std::string_view key, std::string_view) {
               due.emplace_back(key);
               return due.size() < kMaxErasedPerStep;
             });
  if (due.empty()) return false;
  save();
  std::size_t left = kMaxErasedPerStep, looked_at = 0;
  for (; looked_at < due.size() && left > 0; ++looked_at) {
    const std::string prefix = keys::parse_bulk_check(due[looked_at]);
    Entry* const found = entry(prefix);
    const auto until = found ? kept_until(found->row, now) : std::nullopt;
    // Later than now, so not among the rows that are erased together below.
    if (until) view_.put(keys::bulk_check(*until, prefix), {});
    if (!found || until) continue;
    const std::size_t erased = forget(prefix, left);
    // The rest follows in the next step, for which the row of the check stays.
    if (erased > left) break;
    left -= erased;
  }
  view_.erase_rows(std::span(due).first(looked_at));
  return looked_at < due.size() || due.size() == kMaxErasedPerStep;
}

std::optional<BulkRow> Bulks::find(std::string_view account, std::string_view id) {
  Entry* const found = entry(keys::bulk_prefix(account, id));
  return found ? std::optional(found->row) : std::nullopt;
}

std::optional<std::string> Bulks::walk(const std::string& after, std::string_view account, int most,
                                       const ProgressFunction& function) {
  // The walk reads rows, so what is in memory alone must be written first.
  save();
  const std::string all =
      account.empty() ? std::string(1, keys::kBulk) : keys::bulk_prefix(account);
  const std::string end = keys::after_prefix(all);
  std::string last = after;
  for (; most > 0; --most) {
    bool any = false;
    const auto show = [&](std::string_view key, std::string_view value) {
      const keys::BulkKey bulk = keys::parse_bulk(key);
      const Result<BulkRow> row = BulkRow::decode(value);
      PENSTOCK_CHECK(row.has_value(), "a bulk's row follows its grammar");
      last = bulk.prefix;
      function({std::string(bulk.account), std::string(bulk.bulk), *row});
      any = true;
      return false;
    };
    view_.scan(last.empty() ? all : keys::after_prefix(last), end, show);
    if (!any) return std::nullopt;
  }
  return last;
}

}  // namespace penstock
