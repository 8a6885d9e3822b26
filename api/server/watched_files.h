// Tells whether files have changed, by their times, sizes and numbers; looks at most once per
// kLookEvery. Used by one thread at a time.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <tuple>
#include <vector>

namespace penstock {

class WatchedFiles {
 public:
  using Clock = std::chrono::steady_clock;
  static constexpr std::chrono::milliseconds kLookEvery{500};

  // Empty paths are no files.
  explicit WatchedFiles(std::vector<std::string> paths);

  // Since it was made, or since it last said so.
  [[nodiscard]] bool have_changed();

 private:
  // Time of the last change (seconds, nanoseconds), size, and number; all 0: there is no file.
  using Mark = std::tuple<std::int64_t, std::int64_t, std::int64_t, std::uint64_t>;
  [[nodiscard]] std::vector<Mark> marks() const;

  const std::vector<std::string> paths_;
  std::vector<Mark> marks_;
  Clock::time_point next_look_;
};

}  // namespace penstock
