// What the rounds of a benchmark measured, and the report made of it.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace penstock {

inline constexpr int kRounds = 3;

// Of a copy; 0 when there is nothing.
[[nodiscard]] double median(std::vector<double> values);

class Rounds {
 public:
  void add(double value, double raw);
  // The medians, and the spread of the rounds' own ratios value / raw.
  [[nodiscard]] nlohmann::ordered_json report(const std::string& bench, const std::string& unit,
                                              nlohmann::ordered_json settings) const;
  // "value 512345, raw 2400000, ratio 0.21": of the last round, for people.
  [[nodiscard]] std::string last() const;

 private:
  std::vector<double> values_, raws_, ratios_;
};

}  // namespace penstock
