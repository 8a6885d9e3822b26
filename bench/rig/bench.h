// The benchmarks of `penstock bench NAME`. Each one measures its own figure and the raw one in the
// same run, alternately, and returns one JSON object: bench, value, unit, raw, ratio (the median of
// the rounds), min_ratio, max_ratio, settings. Topics are created for the run and deleted
// afterwards.
#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "topics/values/result.h"

namespace penstock {

struct BenchOptions {
  std::map<std::string, std::string> properties;  // librdkafka's, including bootstrap.servers
  std::optional<std::size_t> jobs;                // absent: the benchmark's own number
  std::optional<std::size_t> accounts;
  std::optional<std::size_t> rows;  // of the state, for benchmarks that measure what rows cost
  // of each partition's state, in MB, for benchmarks of several sizes; empty: their own
  std::vector<std::size_t> state_mb;
  // how long to watch, for benchmarks that measure for a time rather than a number of jobs
  std::optional<int> seconds;
  int partitions = 12;
  std::optional<int> rounds;
  int threads = 1;  // loop threads of the worker
  // Reports the progress, one line at a time.
  std::function<void(const std::string&)> note = [](const std::string&) {};
};

struct Bench {
  const char* name;
  const char* description;
  Result<nlohmann::ordered_json> (*run)(const BenchOptions&);
};

[[nodiscard]] std::span<const Bench> all_benches();

}  // namespace penstock
