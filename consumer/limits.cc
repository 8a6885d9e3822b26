#include "consumer/limits.h"

#include <algorithm>
#include <utility>

#include "consumer/admitted_record.h"
#include "consumer/type_table.h"
#include "state/encoding.h"
#include "state/keys.h"
#include "topics/check.h"

namespace penstock {

// Filled in once a job: its arguments are parsed for that.
void Limits::name(LiveJob* job) {
  if (!job->limit_names.empty()) return;
  keys_.of(queue_, decode_admitted(decoder_, job->row));
  for (const LimitPolicy& policy : job->type->policy.limits)
    job->limit_names.push_back(keys_.limit_name(policy.name));
}

// Local ones come first, then the shared ones by their names: see SharedLimits.
Limits::Order Limits::order_of(const LiveJob& job) {
  const std::vector<LimitPolicy>& policies = job.type->policy.limits;
  Order order{};
  for (std::size_t i = 0; i < policies.size(); ++i) order[i] = static_cast<std::uint8_t>(i);
  if (policies.size() == 1) return order;
  const auto rank = [&](std::uint8_t i) {
    return policies[i].is_local() ? std::pair(std::string_view(), i)
                                  : std::pair(std::string_view(job.limit_names[i]), i);
  };
  // A handful at most: each goes down to its place.
  for (std::size_t i = 1; i < policies.size(); ++i) {
    for (std::size_t at = i; at > 0 && rank(order[at]) < rank(order[at - 1]); --at)
      std::swap(order[at], order[at - 1]);
  }
  return order;
}

Limit& Limits::find_or_make(const std::string& name, const LimitPolicy& policy) {
  if (!policy.is_local()) return shared_.find_or_make(name, policy);
  if (const auto found = limits_.find(name); found != limits_.end()) return *found->second;
  auto made = std::make_unique<Limit>(name, policy, now_);
  Limit& limit = *made;
  limits_.emplace(limit.name(), std::move(made));
  names_.push_back(name);
  if (control_) limit.set(control_->limit(limit.name(), limit.written()));
  std::string bytes;
  if (limit.in_force().rate && view_.get(keys::rate(name), &bytes)) {
    limit.set_rate_state({Cursor(bytes).i64()});
    limit.rate_row = true;
  }
  return limit;
}

Gate* Limits::closed(LiveJob* job, const Line& line) {
  const std::vector<LimitPolicy>& policies = job->type->policy.limits;
  if (policies.empty() || !job->holds.empty()) return nullptr;
  name(job);
  const Order order = order_of(*job);
  for (std::size_t i = 0; i < policies.size(); ++i) {
    Limit& limit = find_or_make(job->limit_names[order[i]], policies[order[i]]);
    if (!limit.admits(line)) return &limit;
  }
  return nullptr;
}

void Limits::waits(LiveJob* job, const Line& line, const Gate* gate) {
  const std::vector<LimitPolicy>& policies = job->type->policy.limits;
  if (policies.size() < 2 || job->limit_names.empty()) return;
  const Order order = order_of(*job);
  std::vector<SharedLimit*> needs;
  for (std::size_t i = 0; i < policies.size(); ++i) {
    const LimitPolicy& policy = policies[order[i]];
    Limit& limit = find_or_make(job->limit_names[order[i]], policy);
    if (&limit == gate) return shared_.waits(line, std::move(needs));
    if (!policy.is_local())
      needs.push_back(&shared_.find_or_make(job->limit_names[order[i]], policy));
  }
}

void Limits::take(LiveJob* job) {
  if (!job->holds.empty()) return;
  const std::vector<LimitPolicy>& policies = job->type->policy.limits;
  job->held_as = job->token.number;
  for (std::size_t i = 0; i < policies.size(); ++i) {
    Limit& limit = find_or_make(job->limit_names[i], policies[i]);
    const bool was_dirty = limit.rate_dirty;
    limit.take(job->token.number, job->row.id);
    job->holds.push_back(&limit);
    if (limit.rate_dirty && !was_dirty) dirty_.push_back(&limit);
  }
}

void Limits::set_control(const Control* control) {
  control_ = control;
  shared_.set_control(control);
  for (auto& [name, limit] : limits_) {
    limit->set(control ? control->limit(limit->name(), limit->written()) : std::nullopt);
  }
}

void Limits::restored() {
  shared_.restore();
  rows_from_ = std::string(1, keys::kRate);
}

// A rate that would let start all that it ever lets start tells nothing.
void Limits::forget_rows() {
  std::vector<std::string> over;
  std::string last;
  std::size_t looked_at = 0;
  view_.scan(*rows_from_, keys::after_prefix(std::string(1, keys::kRate)),
             [&](std::string_view key, std::string_view row) {
               last = key;
               const std::string_view name = key.substr(1);
               if (limits_.contains(name) || shared_.knows(name))
                 return ++looked_at < kMinLookedAtAStep;
               const bool elapsed = Cursor(row).i64() <= to_ms(now_) * 1'000'000;
               if (elapsed) over.emplace_back(key);
               rows_left_ = rows_left_ || !elapsed;
               return ++looked_at < kMinLookedAtAStep;
             });
  for (const std::string& key : over) view_.erase(key);
  if (looked_at >= kMinLookedAtAStep) {
    rows_from_ = last + '\0';
  } else if (std::exchange(rows_left_, false)) {
    rows_from_ = std::string(1, keys::kRate);
  } else {
    rows_from_.reset();
  }
}

void Limits::forget_idle() {
  shared_.forget_idle();
  if (rows_from_) forget_rows();
  const std::size_t count = std::max(kMinLookedAtAStep, names_.size() / 8);
  for (std::size_t left = std::min(names_.size(), count); left > 0; --left) {
    std::string name = std::move(names_.front());
    names_.pop_front();
    const auto found = limits_.find(name);
    PENSTOCK_CHECK(found != limits_.end(), "a limit is forgotten here alone");
    if (!found->second->idle()) {
      names_.push_back(std::move(name));
      continue;
    }
    if (found->second->rate_row) view_.erase(keys::rate(name));
    limits_.erase(found);
  }
}

void Limits::save() {
  for (Limit* const limit : dirty_) {
    if (!limit->rate_dirty) continue;
    limit->rate_dirty = false;
    limit->rate_row = true;
    std::string bytes;
    put_i64(bytes, limit->rate_state().next_ns);
    view_.put(keys::rate(limit->name()), bytes);
  }
  dirty_.clear();
}

}  // namespace penstock
