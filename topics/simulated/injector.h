// Makes the happenings of a cluster's FaultPlan: picks a host, a partition or a group, a kind by
// its weight and a length, again and again, and mends everything when the plan has ended.
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
  // One happening now, whatever the plan; false when there was nothing that it could happen to.
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
