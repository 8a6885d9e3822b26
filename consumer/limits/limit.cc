#include "consumer/limits/limit.h"

#include <algorithm>

#include "topics/values/rfc3339.h"

namespace penstock {
namespace {

constexpr std::size_t kNamedHolders = 3;

}  // namespace

std::optional<Gcra> Limit::pace() const {
  if (!in_force_.rate) return std::nullopt;
  return Gcra(*in_force_.rate, in_force_.burst);
}

void Limit::ask_anew(const LimitPolicy& policy) {
  asked_ = {{policy.name.text, {policy.slots, policy.rate, policy.burst}}};
}

bool Limit::ask(const LimitPolicy& policy) {
  const LimitOverride says{policy.slots, policy.rate, policy.burst};
  for (SaidLimit& said : asked_) {
    if (said.written != policy.name.text) continue;
    if (said.limit == says) return false;
    said.limit = says;
    return true;
  }
  asked_.push_back({policy.name.text, says});
  return true;
}

// An override of the filled-in name applies to all that are filled in to it, an override of a name
// as written to those that write it so.
void Limit::set(const Control* control) {
  const auto set_for = [&](const SaidLimit& said) {
    return set_over(said.limit, control ? control->limit(name_, said.written) : std::nullopt);
  };
  written_ = asked_.front().written;
  configured_ = asked_.front().limit;
  in_force_ = set_for(asked_.front());
  for (std::size_t i = 1; i < asked_.size(); ++i) {
    const LimitOverride both = stricter(in_force_, set_for(asked_[i]));
    if (both.slots != in_force_.slots) written_ = asked_[i].written;
    in_force_ = both;
    configured_ = stricter(configured_, asked_[i].limit);
  }
}

std::int64_t Limit::room() const {
  if (in_force_.rate && !rate_allows()) return 0;
  // One at a time, because each start moves the time of the next: the gate is asked again after it.
  const std::int64_t starts = in_force_.rate ? 1 : kOpen;
  const std::optional<int> all = slots();
  if (!all) return starts;
  return std::min(starts, *all - static_cast<std::int64_t>(holders_.size()));
}

bool Limit::exceeded() const {
  const std::optional<int> all = slots();
  return all && holders_.size() > static_cast<std::size_t>(std::max(0, *all));
}

bool Limit::ends_by_itself() const {
  const std::optional<int> all = slots();
  return !all || (*all > 0 && (!holders_.empty() || promised() > 0 || opens_at()));
}

bool Limit::rate_allows() const { return pace()->earliest(rate_state_, now_) <= now_; }

// A state that is not ahead of the time is as good as none.
bool Limit::rate_elapsed() const { return rate_state_.next_ns <= to_ms(now_) * 1'000'000; }

std::optional<Time> Limit::opens_at() const {
  if (!in_force_.rate || rate_allows()) return std::nullopt;
  return pace()->earliest(rate_state_, now_);
}

void Limit::take(std::uint64_t attempt, std::string_view job) {
  holders_.emplace(attempt, job);
  if (!in_force_.rate) return;
  pace()->take(rate_state_, now_);
  rate_dirty = true;
}

std::string Limit::what() const {
  const std::string limit = "the limit \"" + name_ + "\"";
  if (in_force_.slots == 0) return limit + ", which is set to 0 slots";
  if (const auto at = opens_at()) {
    return limit + ", whose rate of " + rate_text(*in_force_.rate) +
           " lets the next one start at " + format_rfc3339(*at);
  }
  if (!in_force_.slots) return limit + ", whose next start is promised to another job";
  return limit + ": " + std::to_string(holders_.size()) + " of " +
         std::to_string(*in_force_.slots) + " slots are in use" + holders_text() + kept_text();
}

std::string Limit::kept_text() const {
  if (kept() == 0) return {};
  return "; " + std::to_string(kept()) + " kept for jobs that wait for another limit too";
}

std::string Limit::holders_text() const {
  std::string text;
  std::vector<std::pair<std::uint64_t, std::string_view>> first(holders_.begin(), holders_.end());
  // By attempt, because the order of the table differs from process to process.
  std::sort(first.begin(), first.end());
  for (std::size_t i = 0; i < std::min(kNamedHolders, first.size()); ++i) {
    text += (i == 0 ? ", by \"" : ", \"") + std::string(first[i].second) + "\"";
  }
  if (first.size() > kNamedHolders) text += " and others";
  return text;
}

}  // namespace penstock
