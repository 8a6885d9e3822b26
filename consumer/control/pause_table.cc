#include "consumer/control/pause_table.h"

#include <map>
#include <nlohmann/json.hpp>
#include <string>

#include "topics/values/rfc3339.h"

namespace penstock {
namespace {

nlohmann::ordered_json text_or_null(const std::string& text) {
  return text.empty() ? nlohmann::ordered_json() : nlohmann::ordered_json(text);
}

}  // namespace

std::vector<PauseEntry> pause_table(const Control& control) {
  // The table of the settings is a hash table, and lists must not change their order.
  std::map<std::string, PauseEntry, std::less<>> sorted;
  control.each_pause([&](const std::string& key, const Pause& pause) {
    if (auto target = parse_pause_key(key))
      sorted.emplace(key, PauseEntry{*std::move(target), pause});
  });
  std::vector<PauseEntry> table;
  for (auto& [key, entry] : sorted) table.push_back(std::move(entry));
  return table;
}

nlohmann::ordered_json pause_json(const PauseEntry& entry) {
  const Time since = entry.pause.since;
  return {{"queue", entry.target.queue},
          {"type", text_or_null(entry.target.type)},
          {"account", text_or_null(entry.target.account)},
          {"since", since == Time{} ? nlohmann::ordered_json()
                                    : nlohmann::ordered_json(format_rfc3339(since))},
          {"by", text_or_null(entry.pause.by)}};
}

}  // namespace penstock
