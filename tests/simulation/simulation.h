// One run: a cluster, workers, traffic, faults and the checker, all from a seed. The same seed
// gives the same run, to the last bit.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "tests/simulation/replay_traffic.h"
#include "tests/simulation/simulated_worker.h"
#include "tests/simulation/traffic.h"

namespace penstock::simulation {

struct Report {
  std::uint64_t seed = 0;
  std::optional<std::string> violation;
  std::array<std::uint64_t, kRules> exercised{};
  std::map<std::string, std::uint64_t> faults;
  double ended_at_s = 0;
  std::uint64_t jobs = 0;
  std::vector<std::string> trace;
};

class Simulation {
 public:
  explicit Simulation(const Settings& settings);
  ~Simulation();

  [[nodiscard]] Report run();

 private:
  static ClusterOptions options(const Settings& settings);
  void make_topics();
  void bulk_done(const Bulk& bulk);
  void stop_somebody();
  void audit();
  void cut_a_log();
  void cut_the_past();
  void recreate_topics();
  void stop_old_versions();
  void finish_upgrade();
  [[nodiscard]] bool is_done();
  class Standby;

  Settings settings_;
  SimulatedCluster cluster_;
  Checker checker_;
  simulated::Random random_;
  Traffic traffic_;
  ReplayTraffic replays_;
  bool deletes_replays_ = false;  // when they are over
  std::vector<std::unique_ptr<SimulatedWorker>> workers_;
  std::vector<std::unique_ptr<Standby>> standbys_;
  std::vector<std::string> trace_;
  std::map<std::string, std::uint64_t> counts_;
};

}  // namespace penstock::simulation
