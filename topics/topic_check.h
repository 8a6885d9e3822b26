// Compares topics with their specs, creates missing topics and repairs settings. Safe to repeat:
// settings that are right are left alone, and if any topic cannot be repaired, nothing is changed.
// May be called from any thread.
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
  std::string endangers;  // what can go wrong because of it
  std::string fix;        // the command to run, or what to do
  bool fixable;           // whether `topics create` repairs it
  // The setting that Log::configure must change; absent: the topic must be created, if fixable.
  std::optional<TopicProperty> setting;
};

// One line for a person.
[[nodiscard]] std::string to_string(const Deviation& deviation);

// Pure. The result is empty if the topic is as it should be.
[[nodiscard]] std::vector<Deviation> check_topic(const TopicSpec& spec,
                                                 const TopicDescription& found);

// Asks the log; blocks like Log::describe().
[[nodiscard]] Result<std::vector<Deviation>> check_topics(Log& log,
                                                          std::span<const TopicSpec> specs);

// Creates missing topics and repairs settings; returns one line for each change. If anything cannot
// be repaired, the result is an error that says what to do, and nothing has been changed.
[[nodiscard]] Result<std::vector<std::string>> ensure_topics(Log& log,
                                                             std::span<const TopicSpec> specs);

}  // namespace penstock
