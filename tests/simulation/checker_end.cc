// What must hold when a run is over: nothing is left, nothing is missing.
#include "state/rows/dedup_index.h"
#include "state/rows/encoding.h"
#include "state/rows/keys.h"
#include "tests/simulation/checker.h"

namespace penstock::simulation {
namespace {

constexpr Duration kPrunedWithin{20'000};  // beyond what hosts' clocks differ by

}  // namespace

std::string Checker::not_done() {
  for (const auto& reference : references_) {
    const PartitionId id = static_cast<PartitionId>(&reference - references_.data());
    if (reference->input_next() < model_.size(id))
      return "p" + std::to_string(id) + " has input left";
    for (const char kind : {keys::kDue, keys::kLine, keys::kUnknownType}) {
      if (reference->store().rows_of(kind) > 0) return "p" + std::to_string(id) + " has live jobs";
    }
  }
  for (const Job& job : model_.jobs()) {
    if (job.ends == 0) return "job " + name_of(job) + " has not ended";
  }
  if (settings_.twins && model_.forgotten_bulks().empty()) return "a bulk's id is not used again";
  return {};
}

bool Checker::all_done() {
  if (!not_done().empty()) return false;
  for (const auto& [message, sent] : sent_) {
    if (sent.arrivals == 0) return false;
  }
  for (const auto& reference : references_) {
    if (reference->store().rows_of(keys::kOutbox) > 0) return false;
    if (reference->store().rows_of(keys::kUnique) > 0) return false;
  }
  return slots_left().empty();
}

// What an owner should have pruned long ago, whatever its clock says; empty: nothing.
std::string Checker::kept_too_long(const Reference& reference) const {
  const Time ended = cluster_.wall() - kPrunedWithin;
  const std::uint32_t oldest = DedupWindow(settings_.queue.dedup_window).oldest_kept(ended);
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

void Checker::check_end() {
  life_.check_end(cluster_.now());
  const std::string left = not_done();
  rules_.check(Rule::kLiveness, left.empty(), [&] { return left; });
  for (const auto& [message, sent] : sent_) {
    rules_.check(Rule::kOutboxComes, sent.arrivals > 0, [&] { return message + " never arrived"; });
    if (sent.topic == names().topic()) {
      rules_.check(Rule::kOutboxOnce, sent.arrivals <= 1,
                   [&] { return message + " was taken more than once"; });
    }
  }
  for (const auto& [name, bulk] : model_.bulks()) {
    if (bulk.account == "bulky") continue;  // these have no on_done
    rules_.check(Rule::kBulkAgain, bulk.account != kTwinAccount || bulk.on_done == 1,
                 [&, &of = bulk] {
                   return "the second bulk " + of.id + " has produced its job " +
                          std::to_string(of.on_done) + " times";
                 });
    rules_.check(Rule::kOnDone, bulk.on_done == (bulk.whole() ? 1 : 0), [&, &of = bulk] {
      return "bulk " + of.account + "/" + of.id + " has produced its job " +
             std::to_string(of.on_done) + " times";
    });
  }
  unique_.check_end();
  if (settings_.shared) {
    rules_.check(Rule::kSlotsBack, slots_left().empty(),
                 [&] { return "something is left" + slots_left(); });
  }
  for (const auto& reference : references_) {
    const std::string torn = torn_rows(reference->store());
    rules_.check(Rule::kWholeRows, torn.empty(), [&] { return torn; });
    const std::size_t messages = reference->store().rows_of(keys::kOutbox);
    const std::size_t expiries = reference->store().rows_of(keys::kExpiry);
    const std::size_t locks = reference->store().rows_of(keys::kUnique);
    rules_.check(Rule::kMemory, messages == 0 && expiries == 0 && locks == 0, [&] {
      return std::to_string(messages) + " messages, " + std::to_string(expiries) +
             " expiries and " + std::to_string(locks) + " locks stay for ever";
    });
    const std::string late = kept_too_long(*reference);
    rules_.check(Rule::kMemory, late.empty(), [&] { return late; });
  }
}

}  // namespace penstock::simulation
