// Reads the parts of the config file that decide which of a type's jobs may run: `unique`, `limits`
// and `batch`. After an error, which is in the fault of `value`, each function returns what it had
// read before. Used from one thread.
#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "consumer/config/config_reader.h"
#include "consumer/policy/policy.h"

namespace penstock {

// The limits of a whole file: a name that occurs in several types must be defined identically in
// each.
class LimitAgreement {
 public:
  void see(const LimitPolicy& limit, const ConfigValue& value);

 private:
  // with the place of the definition
  std::map<std::string, std::pair<LimitPolicy, std::string>, std::less<>> first_;
};

[[nodiscard]] UniquePolicy read_unique(const ConfigValue& value);
[[nodiscard]] std::vector<LimitPolicy> read_limits(const ConfigValue& value,
                                                   LimitAgreement& agreement);
[[nodiscard]] BatchPolicy read_batch(const ConfigValue& value);

}  // namespace penstock
