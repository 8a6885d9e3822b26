#include "tests/simulation/log_checks.h"

#include "state/encoding.h"
#include "state/keys.h"

namespace penstock::simulation {
namespace {

// What owners do not count: what was committed between a sweep's start and its end.
constexpr std::uint64_t kUncounted = 4000;

}  // namespace

void LogChecks::appended(PartitionId partition, std::size_t bytes) {
  auto& ends = ends_[partition];
  ends.push_back((ends.empty() ? 0 : ends.back()) + bytes);
}

void LogChecks::committed(PartitionId partition, const ReferenceStore& store) {
  const auto told = store.rows().find(keys::kMetaLogBytes);
  if (told == store.rows().end()) return;
  const auto& ends = ends_[partition];
  const auto base = store.rows().find(keys::kMetaBase);
  const std::int64_t first = base == store.rows().end() ? 0 : Cursor(base->second).i64();
  const std::uint64_t before = first == 0 ? 0 : ends[static_cast<std::size_t>(first - 1)];
  const std::uint64_t bytes = ends.back() - before, says = Cursor(told->second).u64();
  rules_.check(Rule::kLogSize, bytes <= 2 * says + kUncounted, [&] {
    return "the log of p" + std::to_string(partition) + " has " + std::to_string(bytes) +
           " bytes behind its base, and its owner knows of " + std::to_string(says);
  });
}

}  // namespace penstock::simulation
