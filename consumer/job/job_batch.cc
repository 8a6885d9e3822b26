#include "consumer/job/job_batch.h"

#include "consumer/job/admitted_record.h"

namespace penstock {
namespace {

constexpr std::size_t kCostAround =
    2 * kMinReasonBytes + 512;                        // row, identity, headers of a dead record
constexpr std::int64_t kOldShare = 3, kNewShare = 1;  // of the moving average

// When the job came: at its admission, or at its run_at if that is later.
Time arrival(const JobRow& row) { return std::max(row.admitted_at, row.run_at); }

}  // namespace

std::size_t batch_cost(const JobRow& row) {
  const std::size_t texts = row.value.size() + row.id.size() + row.account.size() + row.type.size();
  return 2 * (texts + row.header_bytes()) + kCostAround;
}

Digest ArgumentsDigest::of(const JobRow& row) {
  tree_.parse(decode_admitted(decoder_, row).args);
  canonical_.clear();
  append_canonical(canonical_, tree_.root());
  return text_digest(canonical_);
}

void Collection::add(const JobRow& row, const Digest& args) {
  const bool is_new = seen_.emplace(args.high, args.low).second;
  add(row);
  // A job that is folded costs as a job, but is no further item.
  if (!is_new) --items_;
}

void Collection::add(const JobRow& row) {
  const Time at = arrival(row);
  first_ = jobs_ == 0 ? at : std::min(first_, at);
  last_ = jobs_ == 0 ? at : std::max(last_, at);
  ++jobs_;
  ++items_;
  cost_ += batch_cost(row);
}

Time Collection::due(const BatchPolicy& policy) const {
  return std::min(last_ + policy.delay, first_ + kMaxBatchDelays * policy.delay);
}

int BatchSizer::size(const BatchPolicy& policy) const {
  if (!policy.target) return policy.max;
  // Nothing is known of the type yet, so a single item measures it.
  if (ns_an_item_ == 0) return 1;
  const std::int64_t fitting = std::chrono::nanoseconds(*policy.target).count() / ns_an_item_;
  // However fast the items were, the size at most doubles: nothing is known of larger batches yet.
  const auto proven = static_cast<std::int64_t>(2 * most_measured_);
  return static_cast<int>(std::clamp<std::int64_t>(std::min(fitting, proven), 1, policy.max));
}

void BatchSizer::measured(std::size_t items, std::chrono::microseconds took) {
  if (items == 0) return;
  const std::int64_t whole = std::max<std::int64_t>(std::chrono::nanoseconds(took).count(), 1);
  const std::int64_t ns = std::max<std::int64_t>(whole / static_cast<std::int64_t>(items), 1);
  ns_an_item_ =
      ns_an_item_ == 0 ? ns : (kOldShare * ns_an_item_ + kNewShare * ns) / (kOldShare + kNewShare);
  // 0 would mean that nothing has been measured.
  ns_an_item_ = std::max<std::int64_t>(ns_an_item_, 1);
  most_measured_ = std::max(most_measured_, items);
}

}  // namespace penstock
