// The measurements of a benchmark's rounds, and the report about them. A value.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace penstock {

inline constexpr int kRounds = 3;

// 0 if `values` is empty.
[[nodiscard]] double median(std::vector<double> values);

class Rounds {
 public:
  void add(double value, double raw);
  // Reports the medians, and the smallest and largest ratio value / raw of a round.
  [[nodiscard]] nlohmann::ordered_json report(const std::string& bench, const std::string& unit,
                                              nlohmann::ordered_json settings) const;
  // The last round, for people: "value 512345, raw 2400000, ratio 0.21".
  [[nodiscard]] std::string last() const;

 private:
  std::vector<double> values_, raws_, ratios_;
};

}  // namespace penstock
