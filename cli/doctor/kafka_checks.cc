#include "cli/doctor/kafka_checks.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "topics/names.h"
#include "topics/topic_check.h"
#include "topics/topic_specs.h"

namespace penstock {
namespace {

constexpr Duration kClockTolerance{1'000};
// A worker renews the lease of a partition that it owns several times in this time.
constexpr Duration kQuietFor{60'000};
// What Penstock's topics and producers need, with librdkafka's names.
constexpr const char* kNeededFeatures[] = {"ApiVersion", "BrokerGroupCoordinator", "MsgVer2",
                                           "IdempotentProducer"};

const KafkaGroup* group_of(const KafkaInspection& found, const std::string& name) {
  const auto same = [&name](const KafkaGroup& group) { return group.name == name; };
  const auto at = std::find_if(found.groups.begin(), found.groups.end(), same);
  return at == found.groups.end() ? nullptr : &*at;
}

std::string seconds(Duration duration) { return std::to_string(duration.count() / 1000) + " s"; }

Finding feature_finding(const KafkaInspection& found) {
  if (found.features.empty()) {
    return {"brokers", FindingLevel::kWarning, "the brokers did not say what they support",
            "a broker before Kafka 0.11 cannot keep Penstock's promises",
            "see the brokers' version with kafka-broker-api-versions"};
  }
  std::string missing;
  for (const char* const feature : kNeededFeatures) {
    const auto& has = found.features;
    if (std::find(has.begin(), has.end(), feature) == has.end())
      missing += (missing.empty() ? "" : ", ") + std::string(feature);
  }
  if (missing.empty())
    return good("brokers", "they support all that is needed, idempotent producers included");
  return {"brokers", FindingLevel::kBad, "a broker does not support " + missing,
          "records can be stored twice or not at all", "upgrade the brokers"};
}

}  // namespace

Findings check_brokers(const KafkaInspection& found) {
  std::string addresses;
  for (const KafkaBroker& broker : found.brokers)
    addresses += (addresses.empty() ? "" : ", ") + broker.address;
  const std::size_t count = found.brokers.size();
  const std::string text =
      std::to_string(count) + (count == 1 ? " broker: " : " brokers: ") + addresses;
  Findings findings;
  if (count < static_cast<std::size_t>(kMaxReplicas)) {
    findings.push_back({"brokers", FindingLevel::kWarning, text,
                        "with fewer than 3 replicas, a broker that loses its disk loses jobs that "
                        "were acknowledged",
                        "for production, run 3 brokers and then `penstock topics create`"});
  } else {
    findings.push_back(good("brokers", text));
  }
  findings.push_back(feature_finding(found));
  return findings;
}

Findings check_groups(const Config& config, const KafkaInspection& found) {
  Findings findings;
  for (const QueuePolicy& queue : config.queues) {
    const KafkaGroup* const group = group_of(found, QueueNames(config.prefix, queue.name).group());
    const std::string name = "queue \"" + queue.name + "\": ";
    if (group == nullptr || !group->error.empty()) {
      findings.push_back({"group", FindingLevel::kWarning,
                          name + "nothing is known about its group: " +
                              (group == nullptr ? "it was not asked for" : group->error),
                          "whether workers run is not known", "are the brokers all up?"});
    } else if (group->members.empty()) {
      findings.push_back({"group", FindingLevel::kBad, name + "no worker runs it", "its jobs wait",
                          "start `penstock work`"});
    } else {
      const std::size_t members = group->members.size();
      const std::string text = name + std::to_string(members) +
                               (members == 1 ? " member, " : " members, ") + group->state;
      if (group->state == "Stable") {
        findings.push_back(good("group", text));
      } else {
        findings.push_back({"group", FindingLevel::kWarning, text,
                            "partitions that change hands stand still meanwhile",
                            "look again in a few seconds; a group that never becomes Stable has "
                            "workers that come and go: see their logs"});
      }
    }
  }
  return findings;
}

Findings check_topics_of(const Config& config, Log& log) {
  const auto brokers = log.broker_count();
  if (!brokers) {
    return {{"topics", FindingLevel::kBad, brokers.error().message, "nothing can be said of them",
             "reach the brokers first"}};
  }
  const int replication = replication_for(*brokers);
  std::vector<TopicSpec> specs = shared_topic_specs(config.prefix, replication);
  for (const QueuePolicy& queue : config.queues) {
    auto more =
        queue_topic_specs(QueueNames(config.prefix, queue.name), {queue.partitions, replication});
    std::move(more.begin(), more.end(), std::back_inserter(specs));
  }
  const auto deviations = check_topics(log, specs);
  if (!deviations) {
    return {{"topics", FindingLevel::kBad, deviations.error().message,
             "nothing can be said of them", "reach the brokers, and see what they permit"}};
  }
  Findings findings;
  for (const Deviation& deviation : *deviations) {
    findings.push_back({"topics", FindingLevel::kBad, deviation.topic + ": " + deviation.what,
                        deviation.endangers, deviation.fix});
  }
  if (findings.empty())
    findings.push_back(
        good("topics", "all " + std::to_string(specs.size()) + " are configured as they must be"));
  return findings;
}

Findings check_clock(const Config& config, Log& log, const KafkaInspection& found, Time now) {
  bool asked = false, ahead = false, quiet = false;
  for (const QueuePolicy& queue : config.queues) {
    const QueueNames names(config.prefix, queue.name);
    const auto future = log.offsets_at(names.state_topic(), now + kClockTolerance);
    const auto recent = log.offsets_at(names.state_topic(), now - kQuietFor);
    if (!future || !recent) continue;
    asked = true;
    const auto has_later = [](const OffsetsAt& of) { return of.at < of.bounds.end; };
    ahead = ahead || std::any_of(future->begin(), future->end(), has_later);
    const KafkaGroup* const group = group_of(found, names.group());
    const bool runs = group != nullptr && !group->members.empty();
    quiet = quiet || (runs && std::none_of(recent->begin(), recent->end(), has_later));
  }
  if (!asked)
    return {good("clock", "not compared: there is no state topic to compare it with yet")};
  if (ahead) {
    return {{"clock", FindingLevel::kBad,
             "a broker has put a time on a record that is more than " + seconds(kClockTolerance) +
                 " ahead of this machine's",
             "leases are measured with both clocks: partitions stand still, and jobs run early or "
             "late",
             "synchronise the clocks of the brokers and of this machine (NTP, chrony)"}};
  }
  if (quiet) {
    return {{"clock", FindingLevel::kWarning,
             "workers run, but the brokers have put no time of the last " + seconds(kQuietFor) +
                 " on any record of a state topic",
             "either the brokers' clocks are behind this machine's, or the workers do not commit",
             "compare the clocks (NTP, chrony), and see the workers' logs"}};
  }
  return {good("clock", "no record of a state topic is from the future (more than " +
                            seconds(kClockTolerance) + " ahead of this machine)")};
}

}  // namespace penstock
