// The parts of the config file that say which of a type's jobs may run now: `unique`, `limits`,
// `batch`. Each returns what was read before a refusal, which `value`'s fault then has. For one
// thread.
#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "consumer/config/config_reader.h"
#include "consumer/policy/policy.h"

namespace penstock {

// The limits of a whole file: a name that stands in several types must say the same in each.
class LimitAgreement {
 public:
  void see(const LimitPolicy& limit, const ConfigValue& value);

 private:
  std::map<std::string, std::pair<LimitPolicy, std::string>, std::less<>> first_;  // and its place
};

[[nodiscard]] UniquePolicy read_unique(const ConfigValue& value);
[[nodiscard]] std::vector<LimitPolicy> read_limits(const ConfigValue& value,
                                                   LimitAgreement& agreement);
[[nodiscard]] BatchPolicy read_batch(const ConfigValue& value);

}  // namespace penstock
