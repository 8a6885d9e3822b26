#include "consumer/copies/copy_types.h"

#include <utility>

namespace penstock {

const TypeRuntime* CopyTypes::find(const TypeRuntime* type, std::optional<int> concurrency) {
  if (!type || !concurrency) return type;
  std::unique_ptr<TypeRuntime>& own = types_[type->name];
  if (!own) {
    own = std::make_unique<TypeRuntime>(*type);
    LimitPolicy limit;
    limit.name = {limit_, {{LimitName::Part::kText, limit_, {}}}};
    own->policy.limits.push_back(std::move(limit));
  }
  // Another replay of the name may have another one.
  own->policy.limits.back().slots = *concurrency;
  return own.get();
}

}  // namespace penstock
