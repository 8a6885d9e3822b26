#include "consumer/limits/shared_limits.h"

#include <algorithm>

#include "consumer/schedule/forget_some.h"
#include "state/rows/encoding.h"
#include "state/rows/keys.h"

namespace penstock {

SharedLimit& SharedLimits::find_or_make(const std::string& name, const LimitPolicy& policy) {
  const auto found = by_name_.find(name);
  SharedLimit& limit = found == by_name_.end() ? make(name, policy) : *found->second;
  if (limit.ask(policy)) limit.set(control_);
  return limit;
}

SharedLimit& SharedLimits::make(const std::string& name, const LimitPolicy& policy) {
  auto made = std::make_unique<SharedLimit>(name, policy, now_, *this);
  SharedLimit& limit = *made;
  limit.number = ++numbers_;
  all_.emplace(limit.number, std::move(made));
  by_name_.emplace(limit.name(), &limit);
  if (control_) limit.set(control_);
  std::string row;
  if (view_.get(keys::share(name), &row)) {
    limit.restore(row);
    // The demand in the row is that of an earlier tenure.
    touch(limit);
  }
  if (limit.in_force().rate && view_.get(keys::rate({}, name), &row)) {
    limit.set_rate_state({Cursor(row).i64()});
    limit.rate_row = true;
  }
  return limit;
}

bool SharedLimits::restore_some(std::string& from, std::size_t max_rows) {
  std::vector<std::pair<std::string, LimitPolicy>> found;
  const std::string all(1, keys::kShare);
  bool more = false;
  view_.scan(from.empty() ? all : from, keys::after_prefix(all),
             [&](std::string_view key, std::string_view row) {
               more = found.size() == max_rows;
               if (more) {
                 from = key;
                 return false;
               }
               const std::string name(key.substr(1));
               found.emplace_back(name, SharedLimit::policy_of(name, row));
               return true;
             });
  for (const auto& [name, policy] : found) make(name, policy);
  return more;
}

SharedLimit* SharedLimits::take_target(const std::string& name, const SlotTarget& target) {
  const auto found = by_name_.find(name);
  // A limit that was forgotten is made again, to report that it has no use for the slots.
  SharedLimit& limit =
      found == by_name_.end() ? make(name, {{name, {}}, 0, {}, 1}) : *found->second;
  if (!limit.set_target(target)) return nullptr;
  put(limit);
  return &limit;
}

void SharedLimits::set_control(const Control* control) {
  control_ = control;
  each([&](SharedLimit& limit) { limit.set(control); });
}

void SharedLimits::forget_idle(std::size_t& rows) {
  forget_some(all_, looked_to_, std::max(kMinLookedAtPerStep, all_.size() / 8),
              [this, &rows](const auto& entry) {
                SharedLimit& limit = *entry.second;
                const std::size_t has = (limit.has_row ? 1 : 0) + (limit.rate_row ? 1 : 0);
                if (!limit.idle() || has > rows) return false;
                rows -= has;
                if (limit.has_row) view_.erase(keys::share(limit.name()));
                if (limit.rate_row) view_.erase(keys::rate({}, limit.name()));
                if (limit.timed) timed_.erase(&limit);
                by_name_.erase(limit.name());
                return true;
              });
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
    touched_.insert(&limit);
  }
  const auto found = left ? behind_.find(left) : behind_.end();
  if (found == behind_.end()) return;
  // Taken out first, because touch() comes back to this function.
  const std::vector<SharedLimit*> needs = std::move(found->second);
  behind_.erase(found);
  for (SharedLimit* const needed : needs) {
    --needed->behind;
    touch(*needed);
  }
}

void SharedLimits::settle(bool leaving, const Room& room, const Report& report) {
  while (!timed_.empty() && *(*timed_.begin())->timed <= now_) {
    SharedLimit& limit = **timed_.begin();
    timed_.erase(timed_.begin());
    limit.timed.reset();
    touch(limit);
  }
  // Every limit has something to release now, whether it has changed or not.
  if (leaving && !std::exchange(leaving_, true)) {
    for (const auto& [number, limit] : all_) touch(*limit);
  }
  while (!touched_.empty() && room()) {
    SharedLimit* const limit = *touched_.begin();
    touched_.erase(touched_.begin());
    limit->is_touched = false;
    const SlotTarget before = limit->target();
    const auto says = limit->settle(now_, account_concurrency_, leaving);
    if (says) report(*limit, *says);
    // In the commit of the report, or the next owner could use what was released.
    if (says || limit->target() != before) put(*limit);
    watch(*limit);
  }
  held_up_ = !touched_.empty();
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
