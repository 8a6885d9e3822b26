#include "consumer/shared_limits.h"

#include <algorithm>

#include "state/keys.h"

namespace penstock {

std::unique_ptr<SharedLimit> SharedLimits::make(const std::string& name, const LimitPolicy& policy) {
  auto limit = std::make_unique<SharedLimit>(name, policy, now_, *this);
  limit->number = ++numbers_;
  all_.emplace(limit->number, limit.get());
  std::string row;
  if (view_.get(keys::share(name), &row)) {
    limit->restore(row);
    touch(*limit);
  }
  return limit;
}

void SharedLimits::restore(const std::function<void(const std::string&, const LimitPolicy&)>& make) {
  std::vector<std::pair<std::string, LimitPolicy>> found;
  const std::string from(1, keys::kShare);
  view_.scan(from, keys::after_prefix(from), [&](std::string_view key, std::string_view row) {
    const std::string name(key.substr(1));
    found.emplace_back(name, SharedLimit::policy_of(name, row));
    return true;
  });
  for (const auto& [name, policy] : found) make(name, policy);
}

void SharedLimits::forget(SharedLimit& limit) {
  if (limit.has_row) view_.erase(keys::share(limit.name()));
  if (limit.timed) timed_.erase(&limit);
  all_.erase(limit.number);
}

void SharedLimits::waits(const Line& line, std::vector<SharedLimit*> needs) {
  if (needs.empty()) return;
  for (SharedLimit* const limit : needs) {
    ++limit->behind;
    touch(*limit);
  }
  behind_[&line] = std::move(needs);
}

void SharedLimits::touched(SharedLimit& limit, const Line* left) {
  if (!limit.is_touched) {
    limit.is_touched = true;
    touched_.push_back(&limit);
  }
  const auto found = left ? behind_.find(left) : behind_.end();
  if (found == behind_.end()) return;
  const std::vector<SharedLimit*> needs = std::move(found->second);
  behind_.erase(found);
  for (SharedLimit* const needed : needs) {
    --needed->behind;
    touch(*needed);
  }
}

void SharedLimits::settle(bool leaving, const Report& report) {
  while (!timed_.empty() && *(*timed_.begin())->timed <= now_) {
    SharedLimit& limit = **timed_.begin();
    timed_.erase(timed_.begin());
    limit.timed.reset();
    touch(limit);
  }
  if (leaving && !std::exchange(leaving_, true)) {
    for (const auto& [number, limit] : all_) touch(*limit);
  }
  // The order in which they were touched may follow a table's, which differs from process to process.
  std::vector<SharedLimit*> touched = std::exchange(touched_, {});
  std::sort(touched.begin(), touched.end(), [](const auto* a, const auto* b) { return a->number < b->number; });
  for (SharedLimit* const limit : touched) {
    limit->is_touched = false;
    const SlotTarget before = limit->target();
    const auto says = limit->settle(now_, account_concurrency_, leaving);
    if (says) report(*limit, *says);
    if (says || limit->target() != before) put(*limit);
    watch(*limit);
  }
}

void SharedLimits::put(SharedLimit& limit) {
  limit.has_row = true;
  view_.put(keys::share(limit.name()), limit.encode());
}

void SharedLimits::watch(SharedLimit& limit) {
  if (limit.timed == limit.look_at()) return;
  if (limit.timed) timed_.erase(&limit);
  limit.timed = limit.look_at();
  if (limit.timed) timed_.insert(&limit);
}

std::optional<Time> SharedLimits::next_time() const {
  return timed_.empty() ? std::nullopt : (*timed_.begin())->timed;
}

}  // namespace penstock
