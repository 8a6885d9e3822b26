#include "consumer/unique/unique_locks.h"

#include <algorithm>
#include <utility>

#include "state/rows/keys.h"
#include "topics/values/check.h"

namespace penstock {
namespace {

constexpr std::size_t kLockBytes = 512;  // a row with its key and that of its time, at most

}  // namespace

void UniqueLocks::restored() {
  entries_.clear();
  dirty_.clear();
  unsaved_bytes_ = 0;
  any_stored_ = false;
  const std::string all(1, keys::kUnique);
  view_.scan(all, keys::after_prefix(all), [&](std::string_view, std::string_view) {
    any_stored_ = true;
    return false;
  });
}

UniqueLocks::Entry& UniqueLocks::entry(const Digest& key) {
  const auto [at, fresh] = entries_.try_emplace(key);
  Entry& found = at->second;
  std::string bytes;
  // Without any row there is nothing to look up.
  if (!fresh || !any_stored_ || !view_.get(keys::unique(key), &bytes)) return found;
  Result<UniqueRow> row = UniqueRow::decode(bytes);
  PENSTOCK_CHECK(row.has_value(), "a lock's row follows its grammar");
  found.row = std::move(*row);
  found.stored = true;
  return found;
}

void UniqueLocks::touch(const Digest& key, Entry& entry) {
  if (entry.dirty) return;
  entry.dirty = true;
  dirty_.push_back(key);
  unsaved_bytes_ += kLockBytes;
}

void UniqueLocks::forget_over(Entry& entry, Time now) {
  std::erase_if(entry.row.holders, [now](const Holder& holder) {
    return holder.until != Time{} && holder.until <= now;
  });
}

std::span<const UniqueLocks::Holder> UniqueLocks::holders(const Digest& key, Time now) {
  Entry& found = entry(key);
  const std::size_t before = found.row.holders.size();
  forget_over(found, now);
  // The next commit writes the row without the holders whose time has passed.
  if (found.row.holders.size() != before) touch(key, found);
  return found.row.holders;
}

bool UniqueLocks::holds(const Digest& key, JobSeq job, Time now) {
  const auto all = holders(key, now);
  return std::any_of(all.begin(), all.end(),
                     [job](const Holder& holder) { return holder.seq == job; });
}

void UniqueLocks::take(const Digest& key, Holder holder, Time now) {
  // A retried job may still hold the lock until a time, which this does not extend.
  if (holds(key, holder.seq, now)) return;
  Entry& found = entry(key);
  if (holder.until != Time{}) view_.put(keys::unique_until(holder.until, key), {});
  found.row.holders.push_back(std::move(holder));
  touch(key, found);
}

template <typename Which>
void UniqueLocks::remove(const Digest& key, Which which) {
  Entry& found = entry(key);
  if (std::erase_if(found.row.holders, which) == 0) return;
  touch(key, found);
  if (!found.row.holders.empty() || found.stored) return;
  // Taken since the last commit, of which nothing remains to be written.
  unsaved_bytes_ -= kLockBytes;
  entries_.erase(key);
}

void UniqueLocks::release(const Digest& key, JobSeq job) {
  remove(key, [job](const Holder& holder) { return holder.seq == job && holder.until == Time{}; });
}

// The row of its time goes, too, unless another holder of the key holds the lock until the same
// time.
void UniqueLocks::drop(const Digest& key, JobSeq job) {
  Time until{};
  remove(key, [job, &until](const Holder& holder) {
    if (holder.seq == job) until = holder.until;
    return holder.seq == job;
  });
  if (until == Time{}) return;
  const std::vector<Holder>& others = entry(key).row.holders;
  const bool shared = std::any_of(others.begin(), others.end(),
                                  [until](const Holder& other) { return other.until == until; });
  if (!shared) view_.erase(keys::unique_until(until, key));
}

void UniqueLocks::save() {
  for (const Digest& key : dirty_) {
    const auto at = entries_.find(key);
    // A key whose entry was erased and made again is listed twice.
    if (at == entries_.end() || !std::exchange(at->second.dirty, false)) continue;
    const Entry& changed = at->second;
    if (!changed.row.holders.empty()) {
      view_.put(keys::unique(key), changed.row.encode());
      any_stored_ = true;
    } else if (changed.stored) {
      view_.erase(keys::unique(key));
    }
  }
  dirty_.clear();
  entries_.clear();
  unsaved_bytes_ = 0;
}

bool UniqueLocks::prune(Time now) {
  std::vector<std::string> over;
  view_.scan(std::string(1, keys::kUniqueUntil), keys::unique_until(now + Duration{1}),
             [&](std::string_view row, std::string_view) {
               over.emplace_back(row);
               return over.size() < kMaxErasedPerStep;
             });
  for (const std::string& row : over) (void)holders(keys::parse_unique_until(row), now);
  view_.erase_rows(over);
  return over.size() >= kMaxErasedPerStep;
}

}  // namespace penstock
