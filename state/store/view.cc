#include "state/store/view.h"

#include "topics/values/check.h"

namespace penstock {

void View::change(std::string_view key, std::optional<std::string> value) {
  auto at = overlay_.lower_bound(key);
  if (at == overlay_.end() || at->first != key) at = overlay_.emplace_hint(at, key, Change{});
  at->second = Change{std::move(value), ++version_};
  // With the version, so that the commit that made this change does not remove a later one of the
  // same key from the overlay.
  changes_.push_back({at, version_});
}

void View::put(std::string_view key, std::string value) {
  batch_.put(key, value);
  change(key, std::move(value));
}

void View::erase(std::string_view key) {
  batch_.erase(key);
  change(key, std::nullopt);
}

void View::erase_rows(std::span<const std::string> keys) {
  if (keys.empty()) return;
  // A range excludes its end, so it ends with the first key that can follow the last one.
  batch_.erase_range(keys.front(), keys.back() + '\0');
  for (const std::string& key : keys) change(key, std::nullopt);
}

void View::erase_range_unseen(std::string_view from, std::string_view to) {
  batch_.erase_range(from, to);
}

bool View::get(std::string_view key, std::string* value) {
  if (const auto found = overlay_.find(key); found != overlay_.end()) {
    if (!found->second.value) return false;
    *value = *found->second.value;
    return true;
  }
  return store_.get(key, value);
}

void View::scan(std::string_view from, std::string_view to, const RowFunction& row) {
  auto change = overlay_.lower_bound(from);
  const auto rows = store_.scan(from, to);
  const auto in_overlay = [&] { return change != overlay_.end() && change->first < to; };
  const auto in_store = [&] { return rows->valid(); };
  while (in_overlay() || in_store()) {
    if (in_overlay() && (!in_store() || change->first <= rows->key())) {
      // The overlay's value replaces the store's.
      if (in_store() && change->first == rows->key()) rows->next();
      if (change->second.value && !row(change->first, *change->second.value)) return;
      ++change;
    } else {
      if (!row(rows->key(), rows->value())) return;
      rows->next();
    }
  }
}

void View::scan_skipping(std::string_view from, std::string_view to, const SkipFunction& row) {
  auto change = overlay_.lower_bound(from);
  const auto rows = store_.scan(from, to);
  const auto in_overlay = [&] { return change != overlay_.end() && change->first < to; };
  const auto in_store = [&] { return rows->valid(); };
  while (in_overlay() || in_store()) {
    const bool changed = in_overlay() && (!in_store() || change->first <= rows->key());
    const bool both = changed && in_store() && change->first == rows->key();
    if (changed && !change->second.value) {
      if (both) rows->next();
      ++change;
      continue;
    }
    const auto next =
        changed ? row(change->first, *change->second.value) : row(rows->key(), rows->value());
    if (!next) return;
    // The next row is often the wanted one, and a step costs less than a seek.
    // This also passes the store's row of the key that the overlay has replaced.
    if (in_store() && rows->key() < *next) rows->next();
    if (in_store() && rows->key() < *next) rows->seek(*next);
    if (in_overlay() && change->first < *next) change = overlay_.lower_bound(*next);
  }
}

void View::sent(std::uint64_t seq) {
  sent_.push_back({seq, std::move(changes_)});
  changes_.clear();
  // The caller has copied the batch. The overlay goes on showing its rows, and later changes belong
  // to the next commit.
  batch_.clear();
  forget_written();
}

void View::applied(std::uint64_t seq) {
  PENSTOCK_CHECK(counted_ < sent_.size() && sent_[counted_].seq == seq,
                 "commits count in their order");
  // The store accepted this commit as its latest, so it has been written when written() reaches
  // this number.
  sent_[counted_++].taken = store_.taken();
  forget_written();
}

void View::forget_written() {
  const std::uint64_t written = store_.written();
  // The store may have accepted a commit without having written it. Until it has, only the overlay
  // shows the rows.
  for (; counted_ > 0 && sent_.front().taken <= written; --counted_) {
    for (const Made& made : sent_.front().changes) {
      // A later change of the same key is still needed.
      if (made.at->second.version == made.version) overlay_.erase(made.at);
    }
    sent_.pop_front();
  }
}

}  // namespace penstock
