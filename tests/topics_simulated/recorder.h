// A listener that keeps what it is told, and a bench of one cluster with a log and a session for
// each of several hosts, polled whenever they have something.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "topics/simulated/simulated_log.h"

namespace penstock {

struct Recorder : LogListener {
  struct Seen {
    std::int64_t offset;
    std::string key, value;
    std::vector<Header> headers;
    Time timestamp;
  };
  std::map<PartitionId, std::vector<Seen>> records;
  std::map<Ticket, Appended> appended;
  std::vector<Ticket> order;
  std::set<PartitionId> assigned;
  std::vector<PartitionId> revoked, lost;
  std::vector<std::pair<PartitionId, bool>> memberships;
  std::vector<Result<Bounds>> bounds;
  std::vector<Status> deleted;
  std::vector<Offset> out_of_range;
  std::vector<bool> connections;
  std::vector<std::string> fatal;
  std::function<void(std::span<const PartitionId>)> when_revoked;
  std::size_t most_records = 0;

  void on_assigned(std::span<const PartitionId> partitions) override {
    assigned.insert(partitions.begin(), partitions.end());
  }
  void on_revoked(std::span<const PartitionId> partitions) override {
    revoked.insert(revoked.end(), partitions.begin(), partitions.end());
    if (when_revoked) when_revoked(partitions);
  }
  void on_lost(std::span<const PartitionId> partitions) override {
    lost.insert(lost.end(), partitions.begin(), partitions.end());
    for (const PartitionId partition : partitions) assigned.erase(partition);
  }
  void on_records(TopicPartition from, std::span<const LogRecord> batch) override {
    most_records = std::max(most_records, batch.size());
    for (const LogRecord& record : batch) {
      Seen seen{record.offset.value,
                std::string(record.key.value_or("(none)")),
                std::string(record.value.value_or("(none)")),
                {},
                record.timestamp};
      for (const HeaderView& header : record.headers) seen.headers.push_back(copy_of(header));
      records[from.partition].push_back(std::move(seen));
    }
  }
  void on_out_of_range(TopicPartition, Offset position) override {
    out_of_range.push_back(position);
  }
  void on_appended(Lane, Ticket ticket, const Appended& result) override {
    appended[ticket] = result;
    order.push_back(ticket);
  }
  void on_bounds(TopicPartition, const Result<Bounds>& known) override { bounds.push_back(known); }
  void on_membership(PartitionId partition, bool held) override {
    memberships.emplace_back(partition, held);
  }
  void on_deleted(TopicPartition, const Status& status) override { deleted.push_back(status); }
  void on_connection(bool connected, std::string_view) override {
    connections.push_back(connected);
  }
  void on_fatal(std::string_view detail) override { fatal.emplace_back(detail); }
};

// A session of a host and what it was told; polled when it has something.
struct Client {
  Client(SimulatedCluster& cluster, SimulatedHost& host, const std::string& topic = "jobs",
         const std::string& instance = "")
      : log(cluster, host) {
    log.on_ready([this](SimulatedSession& ready) {
      if (polls) ready.poll(heard);
    });
    session = std::move(*log.open({.client_id = "test", .instance_id = instance}));
    id = session->topic(topic);
  }
  [[nodiscard]] TopicPartition at(PartitionId partition) const { return {id, partition}; }
  bool append(PartitionId to, const std::string& value, Ticket ticket, Lane lane = Lane::kState) {
    return session->append(lane, at(to), {.key = "k", .value = value, .headers = {}}, ticket);
  }

  Recorder heard;
  bool polls = true;
  SimulatedLog log;
  std::unique_ptr<LogSession> session;
  TopicId id;
};

inline ClusterOptions options_with(const FaultRates& rates, std::uint64_t seed = 1) {
  ClusterOptions options;
  options.seed = seed;
  options.faults = FaultPlan(rates, Instant(std::chrono::hours(1)));
  return options;
}

inline std::vector<std::string> values_of(const SimulatedCluster& cluster, PartitionId partition,
                                          const std::string& topic = "jobs") {
  std::vector<std::string> values;
  const auto& log = cluster.partition(topic, partition);
  for (Offset at{0}; at < log.end(); at = at.next())
    values.emplace_back(log.at(at).value.value_or(""));
  return values;
}

inline std::uint64_t count(const SimulatedCluster& cluster, Fault fault) {
  return cluster.counts().at(std::string(to_string(fault)));
}

}  // namespace penstock
