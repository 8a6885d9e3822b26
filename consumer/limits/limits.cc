#include "consumer/limits/limits.h"

#include <algorithm>
#include <functional>
#include <tuple>
#include <utility>

#include "consumer/job/admitted_record.h"
#include "consumer/policy/type_table.h"
#include "consumer/schedule/lines/line.h"
#include "consumer/store/commit_room.h"
#include "state/rows/encoding.h"
#include "state/rows/keys.h"
#include "topics/values/check.h"

namespace penstock {
namespace {

constexpr std::size_t kRateRowBytes = 24;  // beside the limit's owner and name

}  // namespace

// Once per job, because its arguments have to be parsed.
void Limits::name(LiveJob* job) {
  if (!job->limit_names.empty()) return;
  keys_.of(queue_, decode_admitted(decoder_, job->row));
  for (const LimitPolicy& policy : job->type->policy.limits)
    job->limit_names.push_back(keys_.limit_name(policy.name));
}

// All jobs take limits in one order: first the local ones, then the shared ones, each by name. So
// lines that keep promises (Gate), and partitions that wait for slots (SharedLimits), cannot wait
// for each other in a circle.
Limits::Order Limits::order_of(const LiveJob& job) {
  const std::vector<LimitPolicy>& policies = job.type->policy.limits;
  Order order{};
  for (std::size_t i = 0; i < policies.size(); ++i) order[i] = static_cast<std::uint8_t>(i);
  if (policies.size() == 1) return order;
  const auto rank = [&](std::uint8_t i) {
    return std::tuple(!policies[i].is_local(), std::string_view(job.limit_names[i]), i);
  };
  // A handful at most, so each moves down to its position.
  for (std::size_t i = 1; i < policies.size(); ++i) {
    for (std::size_t at = i; at > 0 && rank(order[at]) < rank(order[at - 1]); --at)
      std::swap(order[at], order[at - 1]);
  }
  return order;
}

// Tells a limit of all policies that name it before `function` sees it: the strictest is in force.
template <typename Function>
void Limits::each_of(const LiveJob& job, Function function) {
  const std::vector<LimitPolicy>& policies = job.type->policy.limits;
  const Order order = order_of(job);
  const auto same = [&](std::size_t a, std::size_t b) {
    return policies[order[a]].is_local() == policies[order[b]].is_local() &&
           job.limit_names[order[a]] == job.limit_names[order[b]];
  };
  for (std::size_t i = 0; i < policies.size(); ++i) {
    Limit& limit = find_or_make(job.row.account, job.limit_names[order[i]], policies[order[i]]);
    for (; i + 1 < policies.size() && same(i, i + 1); ++i)
      (void)find_or_make(job.row.account, job.limit_names[order[i + 1]], policies[order[i + 1]]);
    if (!function(limit)) return;
  }
}

Limit& Limits::find_or_make(std::string_view account, const std::string& name,
                            const LimitPolicy& policy) {
  if (!policy.is_local()) return shared_.find_or_make(name, policy);
  if (const auto found = limits_.find({account, name}); found != limits_.end()) {
    if (found->second->ask(policy)) found->second->set(control_);
    return *found->second;
  }
  auto made = std::make_unique<Limit>(name, policy, now_, account);
  Limit& limit = *made;
  limits_.emplace(Key{limit.owner(), limit.name()}, std::move(made));
  order_.push_back(&limit);
  limit.set(control_);
  std::string bytes;
  // Rates outlive owners: nothing starts sooner because the limit was forgotten or taken over.
  if (limit.in_force().rate && view_.get(keys::rate(account, name), &bytes)) {
    limit.set_rate_state({Cursor(bytes).i64()});
    limit.rate_row = true;
  }
  return limit;
}

bool Limits::needs_another(const LiveJob& job) const {
  const std::vector<LimitPolicy>& policies = job.type->policy.limits;
  for (std::size_t i = 0; i < policies.size(); ++i) {
    if (!policies[i].is_local() && !shared_.knows(job.limit_names[i])) return true;
  }
  return false;
}

Gate* Limits::closed(LiveJob* job, const Line& line) {
  const std::vector<LimitPolicy>& policies = job->type->policy.limits;
  // What it holds it has had since its last iteration.
  if (policies.empty() || !job->holds.empty()) return nullptr;
  name(job);
  // Before the limits are looked at, which would make those that are missing.
  if (!room_.admits(line) && needs_another(*job)) return &room_;
  Gate* closed = nullptr;
  each_of(*job, [&](Limit& limit) {
    if (!limit.admits(line)) closed = &limit;
    return !closed;
  });
  return closed;
}

std::optional<Condition::Others> Limits::others(const LiveJob& job, const Gate& gate) {
  if (!job.type || job.type->policy.limits.size() < 2 || job.limit_names.empty() ||
      !job.holds.empty() || &gate == &room_)
    return std::nullopt;
  Others others;
  const Limit* found = nullptr;
  each_of(job, [&](Limit& limit) {
    if (&limit == &gate) {
      found = &limit;
    } else if (!limit.in_force().rate) {
      (found ? others.behind : others.before).push_back(&limit);
    }
    // Behind the gate a line keeps nothing, or lines could wait for each other in a circle, unless
    // the gate is a rate: there it waits for time alone.
    return !found || found->in_force().rate;
  });
  if (!found || !found->ends_by_itself()) return std::nullopt;
  return others;
}

void Limits::parked(LiveJob* job, const Line& line, const Gate& gate) {
  const std::vector<LimitPolicy>& policies = job->type->policy.limits;
  if (policies.size() < 2 || job->limit_names.empty() || &gate == &room_) return;
  std::vector<SharedLimit*> needs;
  bool found = false;
  each_of(*job, [&](Limit& limit) {
    found = &limit == &gate;
    auto* const shared = dynamic_cast<SharedLimit*>(&limit);
    // A promise that the line keeps counts as demand already. Limits behind the gate do not count:
    // partitions that each have a slot of the other's limit would wait for each other.
    if (!found && shared && !line.gate.keeps(shared)) needs.push_back(shared);
    return !found;
  });
  if (found) shared_.waits(line, std::move(needs));
}

bool Limits::may_join(const JobBatch& batch, LiveJob* job) {
  LiveJob* const first = batch.items.front().job;
  const std::vector<LimitPolicy>& limits = first->type->policy.limits;
  // Everything else in a name is the same for the whole batch: account, type and queue.
  if (std::none_of(limits.begin(), limits.end(), std::mem_fn(&LimitPolicy::is_by_arguments)))
    return true;
  name(first);
  name(job);
  return first->limit_names == job->limit_names;
}

void Limits::started(LiveJob* job) {
  if (!job->holds.empty()) return;
  job->held_as = job->token.number;
  each_of(*job, [&](Limit& limit) {
    const bool was_dirty = limit.rate_dirty;
    limit.take(job->token.number, job->row.id);
    job->holds.push_back(&limit);
    if (limit.rate_dirty && !was_dirty) {
      dirty_.push_back(&limit);
      unsaved_bytes_ += limit.owner().size() + limit.name().size() + kRateRowBytes;
    }
    return true;
  });
}

void Limits::set_control(const Control* control) {
  control_ = control;
  shared_.set_control(control);
  for (auto& [key, limit] : limits_) limit->set(control);
}

bool Limits::restore_some(std::string& from, std::size_t max_rows) {
  rows_from_ = std::string(1, keys::kRate);
  return shared_.restore_some(from, max_rows);
}

// A rate that would now allow its whole burst is as good as a new one, so its row is not needed.
void Limits::forget_rows() {
  std::vector<std::string> over;
  std::string last;
  std::size_t looked_at = 0;
  view_.scan(*rows_from_, keys::after_prefix(std::string(1, keys::kRate)),
             [&](std::string_view key, std::string_view row) {
               last = key;
               const keys::RateKey rate = keys::parse_rate(key);
               // The row of a limit in memory is erased when the limit is forgotten.
               if (rate.owner.empty() ? shared_.knows(rate.limit)
                                      : limits_.contains({rate.owner, rate.limit}))
                 return ++looked_at < kMinLookedAtPerStep;
               const bool elapsed = Cursor(row).i64() <= to_ms(now_) * 1'000'000;
               if (elapsed) over.emplace_back(key);
               rows_left_ = rows_left_ || !elapsed;
               return ++looked_at < kMinLookedAtPerStep;
             });
  for (const std::string& key : over) view_.erase(key);
  if (looked_at >= kMinLookedAtPerStep) {
    rows_from_ = last + '\0';
  } else if (std::exchange(rows_left_, false)) {
    // Another round: some rates had not elapsed yet.
    rows_from_ = std::string(1, keys::kRate);
  } else {
    rows_from_.reset();
  }
}

bool Limits::forget_idle() {
  std::size_t rows = kMaxForgottenPerStep;
  shared_.forget_idle(rows);
  if (rows_from_) forget_rows();
  // A part of all, so that forgetting keeps pace with any number of them.
  const std::size_t count = std::max(kMinLookedAtPerStep, order_.size() / 8);
  for (std::size_t left = std::min(order_.size(), count); left > 0 && rows > 0; --left) {
    Limit* const limit = order_.front();
    order_.pop_front();
    if (!limit->idle()) {
      order_.push_back(limit);
      continue;
    }
    if (limit->rate_row) {
      view_.erase(keys::rate(limit->owner(), limit->name()));
      --rows;
    }
    const auto found = limits_.find({limit->owner(), limit->name()});
    PENSTOCK_CHECK(found != limits_.end(), "a limit is forgotten here alone");
    limits_.erase(found);
  }
  return rows == 0;
}

void Limits::save() {
  for (Limit* const limit : dirty_) {
    if (!limit->rate_dirty) continue;
    limit->rate_dirty = false;
    limit->rate_row = true;
    std::string bytes;
    put_i64(bytes, limit->rate_state().next_ns);
    view_.put(keys::rate(limit->owner(), limit->name()), bytes);
  }
  dirty_.clear();
  unsaved_bytes_ = 0;
}

}  // namespace penstock
