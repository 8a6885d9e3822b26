#include "tests/simulation/checks/flow/shared_checks.h"

#include <algorithm>

#include "consumer/slots/allotment.h"
#include "state/rows/keys.h"
#include "tests/simulation/checks/flow/shared_rate_checks.h"
#include "tests/simulation/settings.h"
#include "topics/partitioner.h"

namespace penstock::simulation {

std::vector<LimitPolicy> shared_limits_of(std::string_view type, int slots) {
  std::vector<LimitPolicy> limits = {{parse_limit_name("pool").value(), slots, {}, 1}};
  if (type == kPairType) limits.push_back({parse_limit_name("gate").value(), slots, {}, 1});
  return limits;
}

void SharedChecks::committed(PartitionId partition, const ReferenceStore& store, Instant at) {
  for (const char* const name : {"pool", "gate", kLaneLimit.data()}) {
    if (partition_of(name, kOwnerPartitions) != partition) continue;
    const auto row = store.rows().find(keys::allotment(name));
    Limit& limit = limits_[name];
    limit.configured = name == kLaneLimit ? kRateParts : slots_;
    const int before = limit.allotted;
    limit.allotted = row == store.rows().end() ? 0 : Allotment::decode(row->second).in_use();
    rules_.check(Rule::kSharedSlots, limit.allotted <= std::max(before, most(limit, at)), [&] {
      return "the owner has " + std::to_string(limit.allotted) + " slots of " + name + " out, of " +
             std::to_string(most(limit, at));
    });
    check(name, limit);
  }
}

int SharedChecks::most(const Limit& limit, Instant at) const {
  int most = limit.set.empty() || limit.set.front().first > at - kHeardLate ? limit.configured : 0;
  for (std::size_t i = 0; i < limit.set.size(); ++i) {
    const bool past = i + 1 < limit.set.size() && limit.set[i + 1].first <= at - kHeardLate;
    if (!past) most = std::max(most, limit.set[i].second);
  }
  return most;
}

void SharedChecks::check(const std::string& name, const Limit& limit) {
  rules_.check(Rule::kSharedSlots, static_cast<int>(limit.running.size()) <= limit.allotted, [&] {
    std::string who;
    for (const auto& [host, key] : limit.running) {
      who += " host " + std::to_string(host) + " p" + std::to_string(key.partition) + " epoch " +
             std::to_string(key.token.epoch);
    }
    return std::to_string(limit.running.size()) + " attempts of " + name + " run with " +
           std::to_string(limit.allotted) + " slots allotted:" + who;
  });
}

void SharedChecks::started(std::size_t host, const AttemptRequest& request) {
  if (request.type != kPoolType && request.type != kPairType) return;
  std::vector<std::string>& needs = needs_[{host, request.key}];
  for (const LimitPolicy& limit : shared_limits_of(request.type, slots_))
    needs.push_back(limit.name.text);
  shown(host, request.key);
}

void SharedChecks::shown(std::size_t host, const AttemptKey& key) {
  const auto found = needs_.find({host, key});
  if (found == needs_.end()) return;
  for (const std::string& name : found->second) {
    Limit& limit = limits_[name];
    limit.running.emplace(host, key);
    check(name, limit);
  }
}

void SharedChecks::hidden(std::size_t host, const AttemptKey& key) {
  const auto found = needs_.find({host, key});
  if (found == needs_.end()) return;
  for (const std::string& name : found->second) limits_[name].running.erase({host, key});
}

void SharedChecks::control_appended(const LogRecord& record, Instant at) {
  if (!record.key || !record.key->starts_with("limit/")) return;
  const auto set =
      record.value ? parse_limit_override(*record.value) : LimitOverride{slots_, {}, 1};
  if (set && set->slots)
    limits_[std::string(record.key->substr(6))].set.emplace_back(at, *set->slots);
}

}  // namespace penstock::simulation
