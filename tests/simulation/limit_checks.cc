#include "tests/simulation/limit_checks.h"

namespace penstock::simulation {

void LimitChecks::started(std::size_t host, const AttemptRequest& request, Now now, Instant at) {
  if (request.type == kSlowType) {
    slow_.insert({host, request.key});
    shown(host, request.key, request.account);
  }
  if (request.type == kPacedType) check_pace(request, now);
  if (request.account != kHaltedAccount) return;
  rules_.check(Rule::kPause, !paused_ || at < *paused_ + kHeardWithin,
               [&] { return request.id + " starts, but its account has been paused"; });
}

void LimitChecks::shown(std::size_t host, const AttemptKey& key, const std::string& account) {
  if (!slow_.contains({host, key})) return;
  auto& here = running_[account];
  here.emplace(host, key);
  rules_.check(Rule::kSlots, here.size() <= 1, [&] {
    return std::to_string(here.size()) + " attempts of " + account + " run within a limit of 1";
  });
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
  if (!record.key || !record.key->starts_with("pause/")) return;
  paused_ = record.value ? std::optional(at) : std::nullopt;
}

}  // namespace penstock::simulation
