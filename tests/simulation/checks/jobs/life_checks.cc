#include "tests/simulation/checks/jobs/life_checks.h"

namespace penstock::simulation {
namespace {

using std::chrono::nanoseconds;

// Hosts' clocks run up to 1 % too fast or too slow.
nanoseconds earliest_after(Duration timeout) { return nanoseconds(timeout) * 98 / 100; }
nanoseconds latest_after(Duration timeout) {
  return nanoseconds(timeout) * 102 / 100 + std::chrono::milliseconds(50);
}

std::string in_ms(nanoseconds span) {
  return std::to_string(std::chrono::duration_cast<Duration>(span).count()) + " ms";
}

}  // namespace

void LifeChecks::started(std::size_t host, const AttemptRequest& request, Instant at) {
  lives_[{host, request.key}] = {request.account + "/" + request.id, request.timeout, at};
}

void LifeChecks::alive(std::size_t host, const AttemptKey& key, Instant at) {
  lives_[{host, key}].last = at;
}

void LifeChecks::timed_out(std::size_t host, const AttemptKey& key, Instant at) {
  const Life& life = lives_[{host, key}];
  rules_.check(Rule::kTimeout, at - life.last >= earliest_after(life.timeout), [&] {
    return "the time of " + life.job + " is over " + in_ms(at - life.last) +
           " after its last sign of life, its timeout is " + in_ms(life.timeout);
  });
  check_late(life, at);
}

void LifeChecks::check_late(const Life& life, Instant at) {
  if (life.stood_still) return;
  rules_.check(Rule::kTimeout, at - life.last <= latest_after(life.timeout), [&] {
    return life.job + " keeps its place though it has given no sign of life for " +
           in_ms(at - life.last) + ", its timeout is " + in_ms(life.timeout);
  });
}

void LifeChecks::hidden(std::size_t host, const AttemptKey& key) {
  lives_[{host, key}].runs = false;
}

void LifeChecks::shown(std::size_t host, const AttemptKey& key) {
  Life& life = lives_[{host, key}];
  life.runs = life.stood_still = true;
}

void LifeChecks::check_end(Instant at) {
  for (const auto& [attempt, life] : lives_) {
    if (life.runs) check_late(life, at);
  }
}

}  // namespace penstock::simulation
