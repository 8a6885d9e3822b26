#include "tests/simulation/rules.h"

namespace penstock::simulation {

std::string_view to_string(Rule rule) {
  static constexpr std::array<std::string_view, kRules> kNames = {
      "nothing lost", "no phantom",    "one completion",  "order",
      "strict order", "ready order",   "no overlap",      "not early",
      "retry time",   "attempts",      "discards",        "retries",
      "dedup",        "tokens grow",   "tokens differ",   "commits honoured",
      "restored",     "standby",       "whole rows",      "input moves",
      "outbox once",  "outbox comes",  "log size",        "oldest",
      "gone on",      "taken once",    "missed told",     "sent back",
      "fair",         "liveness",      "right partition", "forwarded",
      "bad record",   "buffer waits",  "cancel",          "deleted",
      "expired",      "expiries",      "stops loudly",    "follow-ups",
      "slots",        "rate",          "shared slots",    "slots back",
      "shared rate",  "pause",         "breaker",         "breaker closes",
      "fair order",   "bulk share",    "weights",         "newcomers",
      "on_done",      "bulk again",    "batch once",      "batch order",
      "batch whole",  "batch delay",   "batch ceiling",   "batch most",
      "batch target", "set once",      "item answer",     "unique runs",
      "unique held",  "unique queued", "unique ttl",      "conflict",
      "folded",       "newest args",   "cursor",          "turn",
      "kept",         "deaths",        "crash count",     "timeout",
      "places",       "places used",   "pool shares",     "pool strict",
      "recreated",    "format",        "copied once",     "copies last",
      "copy order",   "copies paused", "replay counts",   "copy content",
      "copies sent",  "through",       "replay rate",     "max dead",
      "oldest ready", "memory",
  };
  return kNames[static_cast<std::size_t>(rule)];
}

}  // namespace penstock::simulation
