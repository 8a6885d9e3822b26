// What a replay would copy, found by reading its range with the very filter that its owners use.
// Starts nothing. Blocks; may be called from any thread.
#pragma once

#include <array>
#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "consumer/operate/replay_desk.h"

namespace penstock {

struct ReplayDryRun {
  // Counted by name; the copies of others as one number.
  static constexpr std::size_t kMaxAccounts = 10'000;
  static constexpr std::size_t kMaxTypes = 1'000;
  static constexpr std::size_t kMaxSamples = 10;
  static constexpr std::size_t kMaxSampleBytes = 200;  // of the arguments
  // Ids that are remembered in order to find repeats. Beyond that, each record counts as a copy.
  static constexpr std::size_t kMaxIds = 50'000'000;

  struct Sample {
    std::string id, type, account, source, args;
  };
  ReplayRanges ranges;
  std::int64_t records = 0, scanned = 0, matched = 0;
  std::int64_t copies = 0;  // what matched, without repeats
  std::array<std::int64_t, kLeftOutReasons> left_out{};
  std::map<std::string, std::int64_t> types, accounts;  // of the copies
  std::int64_t other_types = 0, other_accounts = 0;
  std::vector<Sample> samples;
};

struct DryRunBounds {
  // More than this is an error that says so.
  std::optional<std::int64_t> records = {};
  std::optional<std::chrono::milliseconds> time = {};
  std::function<bool()> stopped = {};  // asked several times per second; true ends it
  // Told from time to time how many records were read, and of how many.
  std::function<void(std::int64_t read, std::int64_t all)> told = {};
};

// A filter program is not run: its terms are counted as if every answer were the record.
[[nodiscard]] ReplayAnswer<ReplayDryRun> dry_run(ReplayDesk& desk, const std::string& queue,
                                                 const ReplayTerms& terms,
                                                 const DryRunBounds& bounds = {});

[[nodiscard]] nlohmann::ordered_json to_json(const ReplayDryRun& run);

}  // namespace penstock
