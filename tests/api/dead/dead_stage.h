// A dead topic on a simulated log, and what tests put into it.
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "api/dead/dead_entry.h"
#include "topics/simulated/simulated_log.h"

namespace penstock {

// A record of a dead topic as a worker writes it.
struct DeadWritten {
  std::string reason = "attempts_exhausted";
  std::string source = "penstock.mail/3/17";
  std::string at = "2026-03-01T12:00:00.000Z";
  std::string message = {};
  std::vector<Header> more = {};

  [[nodiscard]] std::vector<Header> headers() const {
    std::vector<Header> all{{"traceparent", "00-1-2-01"},   {"penstock-reason", reason},
                            {"penstock-detail", "because"}, {"penstock-source", source},
                            {"penstock-attempts", "3"},     {"penstock-at", at}};
    if (!message.empty()) all.push_back({"penstock-message", message});
    all.insert(all.end(), more.begin(), more.end());
    return all;
  }
};

[[nodiscard]] inline DeadEntry dead_entry(std::optional<std::string_view> key,
                                          std::optional<std::string_view> value,
                                          const DeadWritten& written) {
  const std::vector<Header> headers = written.headers();
  std::vector<HeaderView> views;
  for (const Header& header : headers) views.push_back(view_of(header));
  const LogRecord record{Offset{5}, Time{}, key, value, views};
  DeadEntryReader reader;
  DeadEntry entry = reader.read_letter(2, record);
  reader.read_value(entry, record);
  return entry;
}

class DeadStage : public testing::Test {
 protected:
  static constexpr const char* kTopic = "penstock.mail.dead";

  DeadStage() {
    for (const char* const topic : {"penstock.mail", kTopic})
      EXPECT_TRUE(log_.create({.name = topic, .partitions = 3, .replication = 1, .config = {}}));
  }

  void die(PartitionId partition, std::string_view key, std::string_view value,
           const DeadWritten& written = {}) {
    const std::vector<Header> headers = written.headers();
    std::vector<HeaderView> views;
    for (const Header& header : headers) views.push_back(view_of(header));
    cluster_.append(kTopic, partition, {.key = key, .value = value, .headers = views});
  }
  // The values in a partition of the queue.
  [[nodiscard]] std::vector<std::string> sent(PartitionId partition) {
    std::vector<std::string> values;
    const SimulatedCluster::Partition& of = cluster_.partition("penstock.mail", partition);
    for (Offset at; at < of.end(); at = at.next()) values.emplace_back(*of.at(at).value);
    return values;
  }

  static ClusterOptions options() {
    ClusterOptions options;
    options.wait_passes_time = true;
    return options;
  }

  SimulatedCluster cluster_{options()};
  SimulatedLog log_{cluster_, cluster_.add_host()};
};

}  // namespace penstock
