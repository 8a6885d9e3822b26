#include "tests/simulation/checker/running_attempts.h"

namespace penstock::simulation {

std::size_t RunningAttempts::most() const {
  return static_cast<std::size_t>(run_.settings().queue.account_concurrency);
}

void RunningAttempts::shown(std::size_t host, const AttemptKey& key, const std::string& account) {
  auto& here = running_[account];
  here.emplace(host, key);
  run_.rules().check(Rule::kNoOverlap, here.size() <= most(), [&] {
    std::string hosts;
    for (const auto& [other, attempt] : here) {
      hosts += " host " + std::to_string(other) + " epoch " + std::to_string(attempt.token.epoch);
    }
    return std::to_string(here.size()) + " attempts of " + account + " run at once:" + hosts;
  });
}

void RunningAttempts::hidden(std::size_t host, const AttemptKey& key, const std::string& account) {
  running_[account].erase({host, key});
}

bool RunningAttempts::has_room(const std::string& account) const {
  const auto found = running_.find(account);
  return (found == running_.end() ? 0 : found->second.size()) < most();
}

}  // namespace penstock::simulation
