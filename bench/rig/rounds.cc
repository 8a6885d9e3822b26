#include "bench/rig/rounds.h"

#include <algorithm>
#include <cstdio>

namespace penstock {

double median(std::vector<double> values) {
  if (values.empty()) return 0;
  std::sort(values.begin(), values.end());
  const auto middle = values.size() / 2;
  return values.size() % 2 == 1 ? values[middle] : (values[middle - 1] + values[middle]) / 2;
}

void Rounds::add(double value, double raw) {
  values_.push_back(value);
  raws_.push_back(raw);
  ratios_.push_back(raw > 0 ? value / raw : 0);
}

nlohmann::ordered_json Rounds::report(const std::string& bench, const std::string& unit,
                                      nlohmann::ordered_json settings) const {
  settings["rounds"] = values_.size();
  return {{"bench", bench},
          {"value", median(values_)},
          {"unit", unit},
          {"raw", median(raws_)},
          {"ratio", median(ratios_)},
          {"min_ratio", *std::min_element(ratios_.begin(), ratios_.end())},
          {"max_ratio", *std::max_element(ratios_.begin(), ratios_.end())},
          {"settings", std::move(settings)}};
}

std::string Rounds::last() const {
  char text[128];
  std::snprintf(text, sizeof text, "value %.6g, raw %.6g, ratio %.3f", values_.back(), raws_.back(),
                ratios_.back());
  return text;
}

}  // namespace penstock
