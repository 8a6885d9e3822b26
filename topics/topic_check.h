// Compares topics with their specs, and makes and mends them. Safe to repeat: what is as it should
// be is left alone, and a topic that cannot be mended stops everything before anything is changed.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "topics/log.h"
#include "topics/topic_specs.h"
#include "topics/values/result.h"

namespace penstock {

struct Deviation {
  std::string topic;
  std::string what;       // "retention.ms is 604800000, expected -1"
  std::string endangers;  // what goes wrong because of it
  std::string mend;       // the command, or what to do
  bool mendable;          // `topics create` mends it
  std::optional<TopicProperty>
      setting;  // what Log::configure is to set; absent: make the topic, if mendable
};

// One line for a person.
[[nodiscard]] std::string to_string(const Deviation& deviation);

// Pure. None: the topic is as it should be.
[[nodiscard]] std::vector<Deviation> check_topic(const TopicSpec& spec,
                                                 const TopicDescription& found);

// Asks the log. Blocks as Log::describe does.
[[nodiscard]] Result<std::vector<Deviation>> check_topics(Log& log,
                                                          std::span<const TopicSpec> specs);

// Makes what is missing and mends what can be mended; says what it did, a line each. What it cannot
// mend is an error, with the way out, and then nothing has been changed.
[[nodiscard]] Result<std::vector<std::string>> ensure_topics(Log& log,
                                                             std::span<const TopicSpec> specs);

}  // namespace penstock
