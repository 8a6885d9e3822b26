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
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "topics/log.h"
#include "topics/simulated/brokers/brokers.h"
#include "topics/simulated/injector.h"
#include "topics/simulated/network/host.h"
#include "topics/simulated/world/world.h"

namespace penstock {

class SimulatedCluster {
 public:
  using Nanos = simulated::Nanos;
  using Partition = simulated::Partition;
  using OnAppend = simulated::Topics::OnAppend;

  explicit SimulatedCluster(const ClusterOptions& options);
  ~SimulatedCluster();
  SimulatedCluster(const SimulatedCluster&) = delete;
  SimulatedCluster& operator=(const SimulatedCluster&) = delete;

  // -- time
  [[nodiscard]] Instant now() const { return world_.now(); }
  // The true wall-clock time.
  [[nodiscard]] Time wall() const { return world_.wall(); }
  void at(Instant when, std::function<void()> what) { world_.timeline().at(when, std::move(what)); }
  bool step() { return world_.timeline().step(); }
  void run_until(Instant end) { world_.timeline().run_until(end); }
  void run_for(Nanos span) { run_until(now() + span); }

  // -- hosts
  SimulatedHost& add_host();
  [[nodiscard]] SimulatedHost& host(std::size_t index) { return *hosts_[index]; }

  // -- for the driver and the checker: immediate, without the network
  [[nodiscard]] Status create(const TopicSettings& topic) { return topics().create(topic); }
  // Deletes a topic and creates it again with the same settings, empty and with another id.
  void recreate(const std::string& topic) { topics().recreate(topic); }
  // Removes a group's committed offsets, as Kafka does when the group's topic is deleted.
  void forget_group(std::string_view group) { brokers_.groups().forget_offsets(group); }
  // Null if there is none.
  [[nodiscard]] Partition* find(std::string_view topic, PartitionId partition) {
    return topics().find(topic, partition);
  }
  Offset append(std::string_view topic, PartitionId partition, const NewRecord& record);
  void trim(std::string_view topic, PartitionId partition, Offset before);
  // Called for every record that is appended to any log, in order.
  void on_append(OnAppend hook) { topics().on_append(std::move(hook)); }
  [[nodiscard]] const Partition& partition(std::string_view topic, PartitionId partition) const {
    return brokers_.topics().partition(topic, partition);
  }
  [[nodiscard]] std::optional<Offset> committed(std::string_view group, std::string_view topic,
                                                PartitionId partition) const {
    return brokers_.groups().committed(group, topic, partition);
  }
  // A digest of everything that was appended to a log or arrived at a session, with the times.
  [[nodiscard]] std::uint64_t history() const { return world_.history(); }
  // How often each kind of fault has occurred, by name.
  [[nodiscard]] std::map<std::string, std::uint64_t> counts() const {
    return world_.faults().counts();
  }
  // Causes a fault now; false if there is nothing that it could affect.
  bool inject(Fault happening) { return injector_.inject(happening); }

  // -- the parts
  [[nodiscard]] simulated::World& world() { return world_; }
  [[nodiscard]] simulated::Brokers& brokers() { return brokers_; }

 private:
  [[nodiscard]] simulated::Topics& topics() { return brokers_.topics(); }

  simulated::World world_;
  simulated::Brokers brokers_;
  std::vector<std::unique_ptr<SimulatedHost>> hosts_;
  simulated::Injector injector_;
};

}  // namespace penstock
