// What the contract has and the core does not do yet: keys that the config file refuses by name,
// each a line of kLaterFeatures. When a feature lands, its line goes; the reading of its keys is
// there.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

namespace penstock {

// Whether kLaterFeatures are refused, or read like the rest of the contract.
enum class Features : std::uint8_t { kOfThisVersion, kWholeContract };

enum class ConfigPlace : std::uint8_t { kQueue, kOrder, kType, kRetry };

struct LaterFeature {
  ConfigPlace place;
  std::string_view name;
};

inline constexpr auto kLaterFeatures = std::to_array<LaterFeature>({
    {ConfigPlace::kType, "max_runtime"},
    {ConfigPlace::kType, "between_iterations"},
});

[[nodiscard]] inline std::vector<std::string_view> later_names(ConfigPlace place,
                                                               Features features) {
  std::vector<std::string_view> names;
  if (features == Features::kWholeContract) return names;
  for (const LaterFeature& feature : kLaterFeatures) {
    if (feature.place == place) names.push_back(feature.name);
  }
  return names;
}

}  // namespace penstock
