#include "tests/simulation/checks/flow/breaker_checks.h"

#include "state/rows/encoding.h"
#include "state/rows/keys.h"

namespace penstock::simulation {

BreakerChecks::Count& BreakerChecks::count_of(const AttemptRequest& request,
                                              const Reference& reference) {
  const auto [found, fresh] = counts_.try_emplace(key_of(request.account, request.key));
  Count& count = found->second;
  if (!fresh || reference.epoch().value != request.key.token.epoch) return count;
  const auto& rows = reference.store().rows();
  const auto row = rows.find(keys::breaker(request.account, request.type));
  if (row == rows.end()) return count;
  Cursor cursor(row->second);
  count.failures = static_cast<int>(cursor.varint());
  count.open = cursor.i64() != 0;
  return count;  // when the next probe is was said by another host's clock
}

void BreakerChecks::started(const AttemptRequest& request, const Reference& reference, bool first,
                            Now now, Instant at) {
  if (request.type != kShakyType) return;
  if (request.account == kShakenAccount && first && first_success_) {
    rules_.check(Rule::kBreakerCloses, at <= *first_success_ + kClosesWithin, [&] {
      return request.id +
             " starts so long after another has succeeded that it must have waited for a probe";
    });
  }
  Count& count = count_of(request, reference);
  if (!count.open) return;
  rules_.check(Rule::kBreaker, !count.probe_runs && now.wall >= count.next_probe, [&] {
    return request.account + "/" + request.id + " starts after " + std::to_string(count.failures) +
           " failures in a row, " +
           (count.probe_runs ? "beside the probe"
                             : std::to_string((count.next_probe - now.wall).count()) +
                                   " ms before the next probe");
  });
  count.probe = request.key;
  count.probe_runs = true;
  count.next_probe = now.wall + kShakyProbe;
}

void BreakerChecks::outcome(const AttemptRequest& request, const OutcomeValue& outcome, Now now,
                            Instant at) {
  if (request.type != kShakyType) return;
  Count& count = counts_[key_of(request.account, request.key)];
  const bool was_probe = count.probe == request.key;
  if (was_probe) {
    count.probe.reset();
    count.probe_runs = false;
  }
  if (std::holds_alternative<Done>(outcome) || std::holds_alternative<NextIteration>(outcome)) {
    count = {};
    if (request.account == kShakenAccount && !first_success_) first_success_ = at;
  } else if (std::holds_alternative<RetryLater>(outcome)) {
    ++count.failures;
    const bool opens = !count.open && count.failures >= kShakyFailures;
    count.open = count.open || opens;
    if (opens || was_probe) count.next_probe = now.wall + kShakyProbe;
  }
}

void BreakerChecks::shown(const AttemptKey& key, const std::string& account) {
  const auto found = counts_.find(key_of(account, key));
  if (found != counts_.end() && found->second.probe == key) found->second.probe_runs = true;
}

void BreakerChecks::hidden(const AttemptKey& key, const std::string& account) {
  const auto found = counts_.find(key_of(account, key));
  if (found != counts_.end() && found->second.probe == key) found->second.probe_runs = false;
}

}  // namespace penstock::simulation
