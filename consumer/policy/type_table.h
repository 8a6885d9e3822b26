// The types that this process can run, for one queue. A type is runnable if its policy has a
// handler or a C++ handler is registered for it; jobs of any other type wait and say so. Belongs to
// one thread.
#pragma once

#include <absl/container/flat_hash_map.h>

#include <memory>
#include <string>
#include <string_view>

#include "consumer/policy/policy.h"
#include "topics/values/text_hash.h"

namespace penstock {

struct TypeRuntime {
  std::string name;
  TypePolicy policy;
};

class TypeTable {
 public:
  void add(std::string name, TypePolicy policy) {
    auto type = std::make_unique<TypeRuntime>();
    type->name = name;
    type->policy = std::move(policy);
    types_[std::move(name)] = std::move(type);
  }
  [[nodiscard]] const TypeRuntime* find(std::string_view name) const {
    const auto found = types_.find(name);
    return found == types_.end() ? nullptr : found->second.get();
  }

 private:
  absl::flat_hash_map<std::string, std::unique_ptr<TypeRuntime>, TextHash, TextEqual> types_;
};

}  // namespace penstock
