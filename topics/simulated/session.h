// A LogSession in virtual time. What has arrived stays in an inbox until poll() passes it on.
// wait() does nothing (or advances virtual time, see ClusterOptions::wait_passes_time): on_ready
// notifies the driver that there is something to poll or that wake() was called, and the driver
// lets the worker run.
//
// When its host crashes, a session ends: from then on every call does nothing, and only its
// destruction is left. Belongs to the simulator's thread.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "topics/log.h"
#include "topics/simulated/fetcher.h"
#include "topics/simulated/inbox.h"
#include "topics/simulated/link.h"
#include "topics/simulated/member.h"
#include "topics/simulated/sender.h"

namespace penstock {

class SimulatedSession final : public LogSession {
 public:
  using OnReady = std::function<void(SimulatedSession&)>;

  SimulatedSession(SimulatedCluster& cluster, SimulatedHost& host, const SessionOptions& options,
                   OnReady on_ready);
  ~SimulatedSession() override;

  // Called when there is something to poll, once until the next poll, and at every wake(). It is
  // always called by the timeline, at the same instant, so it may poll.
  void on_ready(OnReady hook) { on_ready_ = std::move(hook); }
  [[nodiscard]] SimulatedHost& host() const { return link_.host(); }
  [[nodiscard]] bool ended() const { return ended_; }

  TopicId topic(std::string_view name) override;
  void join(TopicId topic, std::string_view group) override;
  void leave() override;
  void finish_revoke(PartitionId partition) override;
  void check_membership(PartitionId partition) override;
  void commit_offset(PartitionId partition, Offset next) override;
  void group_offset(PartitionId partition) override;
  void read(TopicPartition from, Offset position) override;
  void stop_reading(TopicPartition from) override;
  void bounds(TopicPartition of) override;
  bool append(Lane lane, TopicPartition to, const NewRecord& record, Ticket ticket) override;
  void renew(Lane lane) override;
  void delete_records(TopicPartition of, Offset before) override;
  bool poll(LogListener& listener) override;
  void wait(std::chrono::nanoseconds at_most) override;
  void wake() override;

  // -- for the simulator's own parts
  void end();
  simulated::Sender& sender(Lane lane) { return senders_[static_cast<std::size_t>(lane)]; }
  simulated::Fetcher& fetcher() { return fetcher_; }
  simulated::Member& member() { return member_; }
  [[nodiscard]] bool awaits(std::uint64_t request) const { return requests_.contains(request); }

  // Arrivals.
  void appended(const simulated::StreamKey& key, Ticket ticket, const Appended& result);
  void records(TopicPartition from, std::uint64_t read, Offset first, std::uint64_t count);
  void out_of_range(TopicPartition from, std::uint64_t read, Offset position);
  void group_change(simulated::GroupChange change, std::vector<PartitionId> partitions);
  void membership(PartitionId partition, bool held);
  void group_offset_known(PartitionId partition, const Result<std::optional<Offset>>& offset);
  void bounds_known(std::uint64_t request, const Result<Bounds>& bounds);
  void deleted(std::uint64_t request, const Status& status);
  void connection(bool connected);
  void fatal(std::string detail);
  void forget_group();

 private:
  void arrive(simulated::Arrival arrival);
  void ready();
  void tell();
  simulated::Partition* find(TopicPartition of);
  void no_such(TopicPartition of);
  [[nodiscard]] std::string name_of(TopicPartition of) const;
  template <typename TimedOut>
  std::uint64_t request(TopicPartition of, TimedOut timed_out);

  simulated::Link link_;
  OnReady on_ready_;
  bool ended_ = false, told_ = false, connected_ = true;
  std::vector<std::string> topics_;
  std::map<TopicPartition, simulated::Partition*> known_;
  std::array<simulated::Sender, 2> senders_;
  simulated::Fetcher fetcher_;
  simulated::Member member_;
  std::map<std::uint64_t, TopicPartition> requests_;
  std::deque<simulated::Arrival> inbox_;
  std::vector<LogRecord> scratch_;
};

}  // namespace penstock
