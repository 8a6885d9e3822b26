#include "topics/topic_check.h"

#include <algorithm>
#include <iterator>
#include <string_view>

#include "topics/values/whole_number.h"

namespace penstock {
namespace {

const std::string* find(const std::vector<TopicProperty>& config, std::string_view name) {
  const auto found = std::find_if(config.begin(), config.end(),
                                  [&](const TopicProperty& header) { return header.name == name; });
  return found == config.end() ? nullptr : &found->value;
}

bool holds(const TopicSetting& rule, const std::string* value) {
  if (value == nullptr) return false;
  if (rule.rule == SettingRule::kExactly) return *value == rule.value;
  const auto has = whole_number<std::int64_t>(*value);
  return has && *has >= whole_number<std::int64_t>(rule.value);
}

Deviation missing(const TopicSpec& spec) {
  return {spec.name, "does not exist", "there is nothing to work on", spec.create_command,
          true,      std::nullopt};
}

Deviation wrong_partitions(const TopicSpec& spec, int found) {
  return {
      spec.name,
      "has " + std::to_string(found) + " partitions, expected " + std::to_string(spec.partitions),
      "accounts would change partitions, and jobs run twice, out of order or not at all",
      spec.partitions_fix,
      false,
      std::nullopt};
}

Deviation too_few_replicas(const TopicSpec& spec, int found) {
  return {
      spec.name,
      "has replication " + std::to_string(found) + ", expected " + std::to_string(spec.replication),
      "jobs are lost with a broker",
      "kafka-reassign-partitions.sh --execute with a plan that gives each partition of " +
          spec.name + " " + std::to_string(spec.replication) + " replicas",
      false,
      std::nullopt};
}

Deviation wrong_setting(const TopicSpec& spec, const TopicSetting& rule, const std::string* found) {
  const std::string expected = (rule.rule == SettingRule::kAtLeast ? "at least " : "") + rule.value;
  return {spec.name,
          rule.name + " is " + (found == nullptr ? "not set" : *found) + ", expected " + expected,
          rule.endangers,
          spec.create_command,
          true,
          TopicProperty{rule.name, rule.value}};
}

Status make(Log& log, const TopicSpec& spec) {
  const Status made = log.create(settings_of(spec));
  if (made) return made;
  // Another process may have created it in the meantime.
  const auto found = log.describe(spec.name);
  return found && found->exists && check_topic(spec, *found).empty() ? Status{} : made;
}

Status fix(Log& log, const TopicSpec& spec, std::span<const Deviation> deviations) {
  std::vector<TopicProperty> config;
  for (const Deviation& deviation : deviations) {
    // What cannot be fixed was refused before, so this deviation is that the topic is missing; then
    // it is the only one.
    if (!deviation.setting) return make(log, spec);
    config.push_back(*deviation.setting);
  }
  return config.empty() ? Status{} : log.configure(spec.name, config);
}

std::string done(const TopicSpec& spec, const Deviation& deviation) {
  if (!deviation.setting) {
    return "made " + spec.name + " (" + std::to_string(spec.partitions) +
           " partitions, replication " + std::to_string(spec.replication) + ")";
  }
  return "set " + deviation.setting->name + "=" + deviation.setting->value + " on " + spec.name;
}

Status refuse_unfixable(std::span<const Deviation> deviations) {
  std::string reasons;
  for (const Deviation& deviation : deviations) {
    if (deviation.fixable) continue;
    if (!reasons.empty()) reasons += "; ";
    reasons += to_string(deviation);
  }
  return reasons.empty() ? Status{} : failure(reasons + ". Nothing was changed");
}

}  // namespace

std::string to_string(const Deviation& deviation) {
  return deviation.topic + " " + deviation.what + ": " + deviation.endangers +
         ". To fix it: " + deviation.fix;
}

std::vector<Deviation> check_topic(const TopicSpec& spec, const TopicDescription& found) {
  if (!found.exists) return {missing(spec)};
  std::vector<Deviation> deviations;
  if (found.partitions != spec.partitions) {
    deviations.push_back(wrong_partitions(spec, found.partitions));
  }
  if (found.replication < spec.replication) {
    deviations.push_back(too_few_replicas(spec, found.replication));
  }
  for (const TopicSetting& rule : spec.rules) {
    const std::string* value = find(found.config, rule.name);
    if (!holds(rule, value)) deviations.push_back(wrong_setting(spec, rule, value));
  }
  return deviations;
}

Result<std::vector<Deviation>> check_topics(Log& log, std::span<const TopicSpec> specs) {
  std::vector<Deviation> deviations;
  for (const TopicSpec& spec : specs) {
    const auto found = log.describe(spec.name);
    if (!found) return tl::unexpected(found.error());
    std::ranges::move(check_topic(spec, *found), std::back_inserter(deviations));
  }
  return deviations;
}

Result<std::vector<std::string>> ensure_topics(Log& log, std::span<const TopicSpec> specs) {
  const auto deviations = check_topics(log, specs);
  if (!deviations) return tl::unexpected(deviations.error());
  // Before the first change: a worker must not find half of its topics repaired.
  if (auto status = refuse_unfixable(*deviations); !status) {
    return tl::unexpected(std::move(status.error()));
  }
  std::vector<std::string> lines;
  for (const TopicSpec& spec : specs) {
    std::vector<Deviation> own;
    std::ranges::copy_if(*deviations, std::back_inserter(own),
                         [&](const Deviation& deviation) { return deviation.topic == spec.name; });
    if (auto status = fix(log, spec, own); !status) return tl::unexpected(status.error());
    for (const Deviation& deviation : own) lines.push_back(done(spec, deviation));
  }
  return lines;
}

}  // namespace penstock
