// A cluster of brokers in memory, in virtual time: topics, groups, hosts, a network, and the faults
// of all of them. The same seed and the same calls always produce exactly the same history.
//
//   SimulatedCluster cluster({.seed = 7, .faults = FaultPlan::storm(end)});
//   SimulatedHost& host = cluster.add_host();
//   SimulatedLog log(cluster, host);  // for a worker on that host
//   cluster.run_until(...);
//
// Belongs to one thread. The cluster outlives its logs and sessions. It is made for runs of
// minutes, so it frees no memory before it is destroyed.
// end: it is made for runs of minutes.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "topics/log.h"
#include "topics/simulated/fault_plan.h"
#include "topics/simulated/group.h"
#include "topics/simulated/host.h"
#include "topics/simulated/injector.h"
#include "topics/simulated/partition.h"
#include "topics/simulated/random.h"
#include "topics/simulated/timeline.h"

namespace penstock {

class SimulatedSession;

inline constexpr std::size_t kMaxSimulatedPartitions = 10'000;  // per topic

struct ClusterOptions {
  std::uint64_t seed = 0;
  FaultPlan faults{};
  int brokers = 3;
  // the wall-clock time at which virtual time begins
  Time first_time = time_from_ms(1'800'000'000'000);

  simulated::Nanos session_timeout = std::chrono::seconds(15);
  // for a member that does not finish a revocation
  simulated::Nanos revoke_timeout = std::chrono::seconds(15);
  simulated::Nanos heartbeat = std::chrono::milliseconds(400);

  simulated::Nanos delivery_timeout = std::chrono::seconds(10);
  simulated::Nanos retry = std::chrono::milliseconds(800);
  simulated::Nanos request_timeout = std::chrono::seconds(5);  // for bounds and delete_records
  std::size_t in_flight = 5;                                   // per lane and partition
  std::size_t buffered_appends = 10'000;                       // per lane
  std::size_t buffered_bytes = 32 << 20;                       // per lane
  std::size_t fetch_records = 500;                             // at most, per answer

  bool rates_differ = false;  // the hosts' clocks run at 1 ± 1 %
  // wait() advances virtual time until something has arrived; for callers without a driver.
  bool wait_passes_time = false;
};

class SimulatedCluster {
 public:
  using Nanos = simulated::Nanos;
  using Partition = simulated::Partition;
  using OnAppend = std::function<void(const std::string& topic, PartitionId, const LogRecord&)>;

  explicit SimulatedCluster(const ClusterOptions& options);
  ~SimulatedCluster();
  SimulatedCluster(const SimulatedCluster&) = delete;
  SimulatedCluster& operator=(const SimulatedCluster&) = delete;

  // -- time
  [[nodiscard]] Instant now() const { return timeline_.now(); }
  [[nodiscard]] Time first_time() const { return options_.first_time; }
  // The true wall-clock time.
  [[nodiscard]] Time wall() const;
  void at(Instant when, std::function<void()> what) { timeline_.at(when, std::move(what)); }
  bool step() { return timeline_.step(); }
  void run_until(Instant end) { timeline_.run_until(end); }
  void run_for(Nanos span) { timeline_.run_until(now() + span); }

  // -- hosts
  SimulatedHost& add_host();
  [[nodiscard]] std::size_t hosts() const { return hosts_.size(); }
  [[nodiscard]] SimulatedHost& host(std::size_t index) { return *hosts_[index]; }

  // -- topics
  [[nodiscard]] Status create(const TopicSettings& topic);
  [[nodiscard]] Status configure(const std::string& topic,
                                 const std::vector<TopicProperty>& config);
  [[nodiscard]] TopicDescription describe(const std::string& topic) const;
  // Deletes a topic and creates it again with the same settings, empty and with another id.
  void recreate(const std::string& topic);
  // Removes a group's committed offsets, as Kafka does when the group's topic is deleted.
  void forget_group(std::string_view group);
  // Null if there is none.
  [[nodiscard]] Partition* find(std::string_view topic, PartitionId partition);

  // -- for the driver and the checker: immediate, without the network
  Offset append(std::string_view topic, PartitionId partition, const NewRecord& record);
  void trim(std::string_view topic, PartitionId partition, Offset before);
  // Called for every record that is appended to any log, in order.
  void on_append(OnAppend hook) { on_append_ = std::move(hook); }
  [[nodiscard]] const Partition& partition(std::string_view topic, PartitionId partition) const;
  [[nodiscard]] std::optional<Offset> committed(std::string_view group, std::string_view topic,
                                                PartitionId partition) const;
  // A digest of everything that was appended to a log or arrived at a session, with the times.
  [[nodiscard]] std::uint64_t history() const { return history_; }
  // How often each kind of fault has occurred, by name.
  [[nodiscard]] std::map<std::string, std::uint64_t> counts() const { return faults_.counts(); }
  // Causes a fault now; false if there is nothing that it could affect.
  bool inject(Fault happening) { return injector_.inject(happening); }

  // -- for the simulator's own parts
  [[nodiscard]] const ClusterOptions& options() const { return options_; }
  [[nodiscard]] simulated::Timeline& timeline() { return timeline_; }
  [[nodiscard]] simulated::Random& random() { return random_; }
  [[nodiscard]] FaultPlan& faults() { return faults_; }
  // the present rates; all zero once the plan has ended
  [[nodiscard]] const FaultRates& rates() const;
  [[nodiscard]] bool faulty() const { return faults_.active(now()); }
  [[nodiscard]] std::vector<Partition*> partitions();
  [[nodiscard]] std::vector<simulated::Group*> groups();
  [[nodiscard]] simulated::Group& group(std::string_view name, std::string_view topic,
                                        int partitions);
  [[nodiscard]] int partition_count(std::string_view topic) const;
  const simulated::Payload& keep(const NewRecord& record, Time created);
  const simulated::Batch& keep(simulated::Batch batch) {
    return batches_.emplace_back(std::move(batch));
  }
  Offset enter(Partition& partition, const simulated::Payload& payload);
  std::uint64_t unique() { return ++uniques_; }
  void note(std::uint64_t what);

  std::uint64_t attach(SimulatedSession& session);
  void detach(std::uint64_t session) { sessions_.erase(session); }
  [[nodiscard]] SimulatedSession* session(std::uint64_t id) const;
  [[nodiscard]] std::vector<SimulatedSession*> sessions_of(const SimulatedHost& host) const;

 private:
  struct Topic {
    TopicSettings settings;
    std::vector<std::unique_ptr<Partition>> partitions;
  };

  void add_partitions(Topic& topic);

  ClusterOptions options_;
  simulated::Random random_;
  simulated::Timeline timeline_;
  FaultPlan faults_;
  simulated::Injector injector_;
  std::vector<std::unique_ptr<SimulatedHost>> hosts_;
  std::map<std::string, Topic, std::less<>> topics_;
  std::vector<std::unique_ptr<Partition>> deleted_;  // requests for them may still be in flight
  std::uint64_t topics_made_ = 0;
  std::map<std::pair<std::string, std::string>, std::unique_ptr<simulated::Group>, std::less<>>
      groups_;
  std::map<std::uint64_t, SimulatedSession*> sessions_;
  std::deque<simulated::Payload> payloads_;
  std::deque<simulated::Batch> batches_;
  OnAppend on_append_;
  std::uint64_t uniques_ = 0, history_ = 0;
};

}  // namespace penstock
