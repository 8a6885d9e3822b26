#include "tests/simulation/checks/log/log_checks.h"

#include "state/owner/owner.h"
#include "state/rows/encoding.h"
#include "state/rows/keys.h"

namespace penstock::simulation {
namespace {

// What the estimate of a commit's size is short of it, once for each owner.
constexpr std::uint64_t kSlack = 2000;
// The commits that may lie between a sweep's start and the moment when its last one counts: those
// in flight at its start, its own, and those in flight at its end. An owner does not count them.
constexpr std::size_t kBesideASweep = 2 * PendingCommits::kMaxInFlight + 1;

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
  std::uint64_t uncounted = before;
  std::size_t at = static_cast<std::size_t>(first);
  for (std::size_t left = first == 0 ? 0 : kBesideASweep; left > 0 && at < ends.size(); ++at) {
    left -= ends[at] > uncounted ? 1 : 0;
    uncounted = ends[at];
  }
  rules_.check(Rule::kLogSize, bytes <= says + (uncounted - before) + kSlack, [&] {
    return "the log of p" + std::to_string(partition) + " has " + std::to_string(bytes) +
           " bytes behind its base, and its owner knows of " + std::to_string(says);
  });
}

}  // namespace penstock::simulation
