#include "tests/simulation/checks/flow/limit_checks.h"

#include <algorithm>

namespace penstock::simulation {

void LimitChecks::started(std::size_t host, const AttemptRequest& request, Now now, Instant at) {
  if (request.type == kSlowType) {
    slow_.insert({host, request.key});
    shown(host, request.key, request.account, at);
  }
  if (request.type == kPacedType) check_pace(request, now);
  if (!paused_) return;
  const PauseTarget& target = paused_->target;
  const bool meant = (target.type.empty() || target.type == request.type) &&
                     (target.account.empty() || target.account == request.account);
  if (!meant) return;
  rules_.check(Rule::kPause, at < paused_->since + kHeardWithin, [&] {
    return request.id + " starts, but its " +
           (!target.account.empty() ? "account"
            : !target.type.empty()  ? "type"
                                    : "queue") +
           " has been paused";
  });
}

void LimitChecks::shown(std::size_t host, const AttemptKey& key, const std::string& account,
                        Instant at) {
  if (!slow_.contains({host, key})) return;
  running_[account].emplace(host, key);
  check_slots(account, at);
}

// What runs when the number is lowered goes on.
void LimitChecks::check_slots(const std::string& account, Instant at) {
  const std::size_t running = running_[account].size(), most = most_slots(at);
  rules_.check(Rule::kSlots, running <= most, [&] {
    return std::to_string(running) + " attempts of " + account + " run within a limit of " +
           std::to_string(most);
  });
}

std::size_t LimitChecks::most_slots(Instant at) const {
  int most = 0;
  for (std::size_t i = 0; i < set_.size(); ++i) {
    const bool past = i + 1 < set_.size() && set_[i + 1].first + kSetLate <= at;
    if (!past) most = std::max(most, set_[i].second);
  }
  return static_cast<std::size_t>(most);
}

void LimitChecks::hidden(std::size_t host, const AttemptKey& key, const std::string& account) {
  running_[account].erase({host, key});
}

void LimitChecks::check_pace(const AttemptRequest& request, Now now) {
  auto& starts = paced_[{request.account, request.key.partition, request.key.token.epoch}];
  starts.push_back(now.wall);
  for (std::size_t i = 0; i < starts.size(); ++i) {
    const auto allowed =
        static_cast<std::size_t>(kPacedBurst + (now.wall - starts[i]) / kPacedEvery);
    rules_.check(Rule::kRate, starts.size() - i <= allowed, [&] {
      return std::to_string(starts.size() - i) + " starts of " + request.account + " within " +
             std::to_string((now.wall - starts[i]).count()) + " ms";
    });
  }
}

void LimitChecks::control_appended(const LogRecord& record, Instant at) {
  if (!record.key) return;
  if (*record.key == limit_key(kSlowLimit)) {
    const auto set = record.value ? parse_limit_override(*record.value) : LimitOverride{1, {}, 1};
    set_.emplace_back(at, set->slots.value_or(1));
  }
  if (!record.key->starts_with("pause/")) return;
  paused_.reset();
  if (record.value) paused_ = {at, parse_pause_key(*record.key).value()};
}

}  // namespace penstock::simulation
