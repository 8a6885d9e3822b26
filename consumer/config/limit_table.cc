#include "consumer/config/limit_table.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "consumer/job/job_keys.h"

namespace penstock {

std::map<std::string, LimitEntry> limit_table(const Config& config, const Control& control) {
  std::map<std::string, LimitEntry> table;
  for (const QueuePolicy& queue : config.queues) {
    for (const auto& [type_name, type] : queue.types) {
      for (const LimitPolicy& limit : type.limits) {
        LimitEntry& entry = table[limit.name.text];
        entry.configured = LimitOverride{limit.slots, limit.rate, limit.burst};
        entry.is_shared = !limit.is_local();
      }
    }
  }
  control.each_limit(
      [&](const std::string& name, const LimitOverride& set) { table[name].set = set; });
  return table;
}

nlohmann::ordered_json limit_json(const std::optional<LimitOverride>& limit) {
  return limit ? nlohmann::ordered_json::parse(to_json(*limit)) : nlohmann::ordered_json();
}

nlohmann::ordered_json limit_json(const std::string& name, const LimitEntry& entry) {
  return {{"name", name},
          {"shared",
           entry.is_shared ? nlohmann::ordered_json(*entry.is_shared) : nlohmann::ordered_json()},
          {"configured", limit_json(entry.configured)},
          {"set", limit_json(entry.set)}};
}

bool has_limit(const Config& config, std::string_view name) {
  // A name that was cut has lost its end, so it cannot be compared. It may be 3 bytes shorter than
  // the maximum, because it is cut between characters.
  constexpr std::size_t kPerhapsCut = kMaxFilledNameBytes - 3;
  if (name.size() >= kPerhapsCut) return true;
  for (const QueuePolicy& queue : config.queues) {
    for (const auto& [type_name, type] : queue.types) {
      const auto could_be = [name](const LimitPolicy& limit) { return limit.name.could_be(name); };
      if (std::any_of(type.limits.begin(), type.limits.end(), could_be)) return true;
    }
  }
  return false;
}

}  // namespace penstock
