// Splits a large action into chunk jobs. Pure; may be used from any thread.
#pragma once

#include <string>
#include <tl/expected.hpp>
#include <vector>

#include "penstock/producer.h"

namespace penstock {

inline constexpr std::size_t kMaxBulkChunks = 1'000'000'000;  // the maximum of a job record's bulk

// A view of an action as chunks. The action must outlive it.
class BulkSplit {
 public:
  // `id` is used if the action has none of its own.
  [[nodiscard]] static tl::expected<BulkSplit, Failure> make(const NewBulkAction& action,
                                                             std::string id);

  [[nodiscard]] std::size_t size() const { return size_; }
  [[nodiscard]] const std::string& id() const { return id_; }
  [[nodiscard]] NewJob chunk(std::size_t index) const;

 private:
  BulkSplit(const NewBulkAction& action, std::string id, std::size_t items, std::size_t size)
      : action_(&action), id_(std::move(id)), items_(items), size_(size) {}

  const NewBulkAction* action_;
  std::string id_;
  std::size_t items_;  // per chunk
  std::size_t size_;
};

}  // namespace penstock
