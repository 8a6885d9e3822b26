#include "producer/bulk_split.h"

#include <algorithm>

namespace penstock {
namespace {

std::string fault_of(const NewBulkAction& action) {
  if (action.items.empty()) return "a bulk needs at least one item";
  if (action.items_per_chunk() == 0)
    return "a chunk needs at least one item: give chunk at least 1";
  if (!action.job.args.is_object())
    return "a bulk's args must be an object, because the items become a member of it";
  if (action.job.args.contains("items"))
    return "a bulk's args must not have a member items; put the items into `items`";
  if (!action.job.id.empty())
    return "the chunks' ids are derived from the bulk's id: leave the job's id empty";
  if (action.job.bulk) return "the producer numbers the chunks: leave the job's bulk empty";
  return {};
}

}  // namespace

std::size_t NewBulkAction::items_per_chunk() const {
  if (!item_time) return chunk;
  const auto one = std::max<std::int64_t>(1, item_time->count());
  const std::int64_t fitting = std::chrono::microseconds(kTargetChunkDuration).count() / one;
  return std::clamp<std::size_t>(static_cast<std::size_t>(fitting), 1, kMaxAutoItems);
}

tl::expected<BulkSplit, Failure> BulkSplit::make(const NewBulkAction& action, std::string id) {
  if (std::string fault = fault_of(action); !fault.empty()) {
    return tl::unexpected(Failure{FailureReason::kBadJob, "/bulk", std::move(fault)});
  }
  // Rounded up. Neither number is 0: fault_of() has checked both.
  const std::size_t size = (action.items.size() - 1) / action.items_per_chunk() + 1;
  if (size > kMaxBulkChunks) {
    return tl::unexpected(
        Failure{FailureReason::kBadJob, "/bulk/size", "too many chunks: set a larger chunk size"});
  }
  return BulkSplit(action, action.id.empty() ? std::move(id) : action.id, action.items_per_chunk(),
                   size);
}

NewJob BulkSplit::chunk(std::size_t index) const {
  const auto from = action_->items.begin() + static_cast<std::ptrdiff_t>(index * items_);
  const std::size_t left = action_->items.size() - index * items_;
  NewJob job = action_->job;
  job.id = id_ + "/" + std::to_string(index);
  job.args["items"] =
      std::vector<nlohmann::json>(from, from + static_cast<std::ptrdiff_t>(std::min(left, items_)));
  job.bulk = NewBulk{.id = id_,
                     .index = static_cast<std::int64_t>(index),
                     .size = static_cast<std::int64_t>(size_),
                     .on_done = nullptr};
  // One chunk is enough: a bulk does not end before all of its chunks have arrived.
  if (index == 0) job.bulk->on_done = action_->on_done;
  return job;
}

}  // namespace penstock
