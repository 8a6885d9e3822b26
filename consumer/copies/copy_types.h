// The types of a replay's copies, where its concurrency is a limit that they have besides their
// type's own.
//
// What always holds: a type that was returned stays where it is, because jobs point to it.
//
// Used by the partition's one thread.
#pragma once

#include <absl/container/btree_map.h>

#include <memory>
#include <optional>
#include <string>

#include "consumer/policy/type_table.h"

namespace penstock {

class CopyTypes {
 public:
  // `limit`: the name of the limit.
  explicit CopyTypes(std::string limit) : limit_(std::move(limit)) {}

  // The type itself without a concurrency.
  [[nodiscard]] const TypeRuntime* find(const TypeRuntime* type, std::optional<int> concurrency);

 private:
  const std::string limit_;
  absl::btree_map<std::string, std::unique_ptr<TypeRuntime>> types_;
};

}  // namespace penstock
