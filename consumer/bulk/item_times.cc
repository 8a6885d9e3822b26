#include "consumer/bulk/item_times.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "consumer/job/admitted_record.h"

namespace penstock {
namespace {

constexpr int kOldWeight = 3, kNewWeight = 1;

std::size_t items_of(const JobRow& chunk) {
  JobDecoder decoder;
  const auto args = nlohmann::json::parse(decode_admitted(decoder, chunk).args, nullptr, false);
  if (!args.is_object()) return 0;
  const auto items = args.find("items");
  return items != args.end() && items->is_array() ? items->size() : 0;
}

}  // namespace

void ItemTimes::measured(const JobRow& chunk, std::chrono::microseconds took, Time now) {
  Time& next = next_[chunk.type];
  if (now < next) return;
  // Before the arguments are parsed, because it is the parsing that must be rare.
  next = now + kEvery;
  const std::size_t items = items_of(chunk);
  if (items == 0) return;
  const auto one = std::max(std::chrono::microseconds(1), took / static_cast<std::int64_t>(items));
  const auto [known, is_new] = by_type_.try_emplace(chunk.type, one);
  if (!is_new)
    known->second = (kOldWeight * known->second + kNewWeight * one) / (kOldWeight + kNewWeight);
}

}  // namespace penstock
