// The benchmarks of `penstock bench NAME`: each takes its own figure and the raw one in the same
// run, the two in turn, and gives one JSON object: bench, value, unit, raw, ratio (median of the
// rounds'), min_ratio, max_ratio, settings. Topics are made for the run and deleted after it.
#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <span>
#include <string>

#include "topics/values/result.h"

namespace penstock {

struct BenchOptions {
  std::map<std::string, std::string> properties;  // librdkafka's, bootstrap.servers among them
  std::optional<std::size_t> jobs;                // absent: what the bench is defined with
  std::optional<std::size_t> accounts;
  std::optional<std::size_t> rows;  // of the state, where they are what is measured
  std::optional<int> seconds;       // of looking on, where time and not jobs is what a bench spends
  int partitions = 12;
  std::optional<int> rounds;
  int threads = 1;  // loops of the worker
  // Told how it goes, a line at a time.
  std::function<void(const std::string&)> note = [](const std::string&) {};
};

struct Bench {
  const char* name;
  const char* description;
  Result<nlohmann::ordered_json> (*run)(const BenchOptions&);
};

[[nodiscard]] std::span<const Bench> all_benches();

}  // namespace penstock
