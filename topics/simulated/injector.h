// Causes the incidents of a cluster's FaultPlan: it repeatedly picks a kind by its weight, a
// duration, and a host, a partition or a group, and it repairs everything when the plan has ended.
// Belongs to the simulator's thread.
#pragma once

#include "topics/simulated/fault_plan.h"
#include "topics/simulated/random.h"

namespace penstock {
class SimulatedCluster;
class SimulatedHost;
}  // namespace penstock

namespace penstock::simulated {

class Injector {
 public:
  explicit Injector(SimulatedCluster& cluster) : cluster_(&cluster) {}

  void start();
  // Causes one incident now, whatever the plan says; false if there is nothing that it could
  // affect.
  bool inject(Fault happening);

 private:
  void next();
  void heal();
  [[nodiscard]] Fault choose() const;
  bool inject_host(Fault happening, SimulatedHost& host, Nanos length);
  bool inject_partition(Fault happening);
  bool inject_group(Fault happening);
  void crash(SimulatedHost& host, Nanos length);
  void pause(SimulatedHost& host, Nanos length);

  SimulatedCluster* cluster_;
};

}  // namespace penstock::simulated
