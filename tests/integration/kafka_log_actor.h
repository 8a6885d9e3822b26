// What the tests of the Kafka log share: a listener that keeps what it was told, and how to run
// sessions until something holds.
#pragma once

#include <gtest/gtest.h>

#include <chrono>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "topics/log.h"

namespace penstock {

using SteadyClock = std::chrono::steady_clock;

inline constexpr std::chrono::seconds kPatience{40};

struct ReadRecord {
  Offset offset;
  std::optional<std::string> key;
  std::optional<std::string> value;
  std::vector<Header> headers;
};

inline std::optional<std::string> copy_of(std::optional<std::string_view> view) {
  if (!view) return std::nullopt;
  return std::string(*view);
}

// Keeps what it was told; a test may hook into a call.
class Recorder : public LogListener {
 public:
  void on_assigned(std::span<const PartitionId> partitions) override {
    held.insert(partitions.begin(), partitions.end());
  }
  void on_revoked(std::span<const PartitionId> partitions) override {
    revoked.insert(partitions.begin(), partitions.end());
  }
  void on_lost(std::span<const PartitionId> partitions) override {
    for (const PartitionId partition : partitions) held.erase(partition);
    lost.insert(partitions.begin(), partitions.end());
  }
  void on_records(TopicPartition from, std::span<const LogRecord> batch) override {
    for (const LogRecord& record : batch) {
      ReadRecord copy{record.offset, copy_of(record.key), copy_of(record.value), {}};
      for (const HeaderView& header : record.headers) {
        copy.headers.push_back(penstock::copy_of(header));
      }
      records[from].push_back(std::move(copy));
    }
    if (records_hook) records_hook(from);
  }
  void on_out_of_range(TopicPartition from, Offset position) override {
    out_of_range.emplace_back(from, position);
  }
  void on_appended(Lane, Ticket ticket, const Appended& result) override {
    appended.emplace_back(ticket, result);
    if (appended_hook) appended_hook(ticket);
  }
  void on_bounds(TopicPartition of, const Result<Bounds>& result) override {
    bounds.emplace_back(of, result);
  }
  void on_membership(PartitionId partition, bool is_held) override {
    membership.emplace_back(partition, is_held);
  }
  void on_group_offset(PartitionId partition,
                       const Result<std::optional<Offset>>& offset) override {
    group_offsets.emplace_back(partition, offset);
  }
  void on_deleted(TopicPartition, const Status& status) override { deleted.push_back(status); }
  void on_connection(bool is_connected, std::string_view detail) override {
    connected = is_connected;
    connection_detail = detail;
  }
  void on_fatal(std::string_view detail) override { fatal.emplace_back(detail); }

  std::set<PartitionId> held;
  std::set<PartitionId> revoked;
  std::set<PartitionId> lost;
  std::map<TopicPartition, std::vector<ReadRecord>> records;
  std::vector<std::pair<TopicPartition, Offset>> out_of_range;
  std::vector<std::pair<Ticket, Appended>> appended;
  std::vector<std::pair<TopicPartition, Result<Bounds>>> bounds;
  std::vector<std::pair<PartitionId, bool>> membership;
  std::vector<std::pair<PartitionId, Result<std::optional<Offset>>>> group_offsets;
  std::vector<Status> deleted;
  std::optional<bool> connected;
  std::string connection_detail;
  std::vector<std::string> fatal;
  std::function<void(TopicPartition)> records_hook;
  std::function<void(Ticket)> appended_hook;
};

struct Actor {
  std::unique_ptr<LogSession> session;
  Recorder heard;
};

// Polls all actors until `done` says so; false: it did not within `at_most`.
inline bool run(const std::vector<Actor*>& actors, const std::function<bool()>& done,
                SteadyClock::duration at_most = kPatience) {
  const auto end = SteadyClock::now() + at_most;
  while (!done()) {
    if (SteadyClock::now() > end) return false;
    bool any = false;
    for (Actor* actor : actors) any = actor->session->poll(actor->heard) || any;
    const std::chrono::milliseconds nap(actors.size() > 1 ? 2 : 50);
    if (!any && !done()) actors.front()->session->wait(nap);
  }
  return true;
}
inline bool run(Actor& actor, const std::function<bool()>& done) { return run({&actor}, done); }

}  // namespace penstock
