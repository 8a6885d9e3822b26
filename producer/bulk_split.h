// A large action as chunk jobs. Pure.
#pragma once

#include <string>
#include <tl/expected.hpp>
#include <vector>

#include "penstock/producer.h"

namespace penstock {

inline constexpr std::size_t kMaxBulkChunks = 1'000'000'000;  // as the job record has it

// The items of chunk `index` of those that the action is split into.
class BulkSplit {
 public:
  // `id` stands in for the action's own when that is empty.
  [[nodiscard]] static tl::expected<BulkSplit, Failure> make(const NewBulkAction& action,
                                                             std::string id);

  [[nodiscard]] std::size_t size() const { return size_; }
  [[nodiscard]] const std::string& id() const { return id_; }
  // The action must still be there.
  [[nodiscard]] NewJob chunk(std::size_t index) const;

 private:
  BulkSplit(const NewBulkAction& action, std::string id, std::size_t items, std::size_t size)
      : action_(&action), id_(std::move(id)), items_(items), size_(size) {}

  const NewBulkAction* action_;
  std::string id_;
  std::size_t items_;  // of a chunk
  std::size_t size_;
};

}  // namespace penstock
