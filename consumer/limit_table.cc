#include "consumer/limit_table.h"

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

}  // namespace penstock
