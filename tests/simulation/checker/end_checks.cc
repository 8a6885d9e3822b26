#include "tests/simulation/checker/end_checks.h"

#include "consumer/slots/allotment.h"
#include "state/rows/dedup_index.h"
#include "state/rows/encoding.h"
#include "state/rows/job_row.h"
#include "state/rows/keys.h"

namespace penstock::simulation {
namespace {

constexpr Duration kPrunedWithin{20'000};  // beyond what hosts' clocks differ by

}  // namespace

bool EndChecks::all_done() {
  if (!not_done().empty()) return false;
  if (!messages_.all_arrived()) return false;
  for (const auto& reference : run_.references()) {
    if (reference->store().rows_of(keys::kOutbox) > 0) return false;
    if (reference->store().rows_of(keys::kUnique) > 0) return false;
  }
  return slots_left().empty();
}

void EndChecks::check_end() {
  features_.life.check_end(run_.cluster().now());
  const std::string left = not_done();
  run_.rules().check(Rule::kLiveness, left.empty(), [&] { return left; });
  messages_.check_end();
  bulks_.check_end();
  features_.unique.check_end();
  features_.replays.check_end();
  if (run_.settings().shared) {
    run_.rules().check(Rule::kSlotsBack, slots_left().empty(),
                       [&] { return "something is left" + slots_left(); });
  }
  for (const auto& reference : run_.references()) {
    check_rows(*reference);
    check_format(*reference, "the queue");
  }
  for (const auto& owner : run_.owners()) check_format(*owner, "the shared limits");
}

void EndChecks::check_format(const Reference& reference, const std::string& queue) {
  const auto& rows = reference.store().rows();
  if (rows.empty()) return;
  const auto found = rows.find(std::string(keys::kMetaFormat));
  const std::uint32_t format = found == rows.end() ? 0 : Cursor(found->second).u32();
  run_.rules().check(
      Rule::kFormat, format == (run_.settings().upgrade ? kNewVersion : kOldVersion),
      [&] { return "in the end the state of " + queue + " has format " + std::to_string(format); });
}

void EndChecks::check_rows(const Reference& reference) {
  const std::string torn = torn_rows(reference.store());
  run_.rules().check(Rule::kWholeRows, torn.empty(), [&] { return torn; });
  const std::size_t messages = reference.store().rows_of(keys::kOutbox);
  const std::size_t expiries = reference.store().rows_of(keys::kExpiry);
  const std::size_t locks = reference.store().rows_of(keys::kUnique);
  run_.rules().check(Rule::kMemory, messages == 0 && expiries == 0 && locks == 0, [&] {
    return std::to_string(messages) + " messages, " + std::to_string(expiries) + " expiries and " +
           std::to_string(locks) + " locks stay for ever";
  });
  const std::string late = kept_too_long(reference);
  run_.rules().check(Rule::kMemory, late.empty(), [&] { return late; });
}

std::string EndChecks::not_done() {
  for (PartitionId id = 0; id < run_.settings().queue.partitions; ++id) {
    const Reference& reference = run_.reference(id);
    if (reference.input_next() < run_.model().size(id))
      return "p" + std::to_string(id) + " has input left";
    for (const char kind : {keys::kDue, keys::kLine, keys::kUnknownType}) {
      for (const auto& [key, value] : reference.store().rows()) {
        if (key.front() != kind) continue;
        const JobRow row = JobRow::decode(value).value();
        return "p" + std::to_string(id) + " has the live job " + row.account + "/" + row.id +
               ", which is " + std::string(to_string(row.state));
      }
    }
  }
  for (const Job& job : run_.model().jobs()) {
    if (job.ends == 0) return "job " + name_of(job) + " has not ended";
  }
  if (const std::string left = features_.replays.not_done(); !left.empty()) return left;
  if (run_.settings().twins && run_.model().forgotten_bulks().empty())
    return "a bulk's id is not used again";
  return {};
}

// What is left of limits that nobody uses, on either side; empty: nothing.
std::string EndChecks::slots_left() const {
  std::string left;
  for (const auto& reference : run_.references()) {
    for (const auto& [key, value] : reference->store().rows()) {
      if (key.front() == keys::kShare) left += " of " + key.substr(1) + " at a partition;";
    }
  }
  for (const auto& owner : run_.owners()) {
    for (const auto& [key, value] : owner->store().rows()) {
      if (key.front() != keys::kAllotment) continue;
      left += " of " + key.substr(1) + " at its owner, " +
              std::to_string(Allotment::decode(value).in_use()) + " out;";
    }
  }
  return left;
}

// What an owner should have pruned long ago, whatever its clock says; empty: nothing.
std::string EndChecks::kept_too_long(const Reference& reference) const {
  const Time ended = run_.cluster().wall() - kPrunedWithin;
  const std::uint32_t oldest = DedupWindow(run_.settings().queue.dedup_window).oldest_kept(ended);
  for (const auto& [key, value] : reference.store().rows()) {
    if (key.front() == keys::kEnded && keys::parse_time(key).at < ended)
      return "an ended job stays beyond its keep";
    if (key.front() == keys::kDedup && keys::parse_dedup_bucket(key) < oldest)
      return "identities stay beyond the window";
    if (key.front() == keys::kUniqueUntil && key < keys::unique_until(ended))
      return "a lock stays beyond its time";
  }
  return {};
}

}  // namespace penstock::simulation
