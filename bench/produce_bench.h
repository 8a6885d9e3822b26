// `bench produce`: the real Producer against librdkafka alone, the same bytes to the same topic in
// the same run, the two in turn. The topic is made for the run.
#pragma once

#include <cstddef>
#include <map>
#include <nlohmann/json_fwd.hpp>
#include <string>

#include "topics/result.h"

namespace penstock {

struct ProduceBenchOptions {
  std::map<std::string, std::string> properties;  // librdkafka's, bootstrap.servers among them
  std::size_t records = 1'000'000;                // of each in each round
  std::size_t record_bytes = 200;                 // of the value
  std::size_t accounts = 1'000;
  int partitions = 12;
  int rounds = 3;
};

// One object: bench, value (records/s, median), unit, raw, ratio (median of the rounds'),
// min_ratio, max_ratio, settings.
[[nodiscard]] Result<nlohmann::ordered_json> bench_produce(const ProduceBenchOptions& options);

}  // namespace penstock
