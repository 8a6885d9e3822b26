// Causes the incidents of a cluster's FaultPlan: it repeatedly picks a kind by its weight, a
// duration, and a host, a partition or a group, and it repairs everything when the plan has ended.
// Belongs to the simulator's thread.
#pragma once

#include <memory>
#include <vector>

#include "topics/simulated/brokers/brokers.h"
#include "topics/simulated/network/host.h"
#include "topics/simulated/world/world.h"

namespace penstock::simulated {

class Injector {
 public:
  using Hosts = std::vector<std::unique_ptr<SimulatedHost>>;

  Injector(World& world, Brokers& brokers, const Hosts& hosts)
      : world_(&world), brokers_(&brokers), hosts_(&hosts) {}

  void start();
  // Causes one incident now, regardless of the plan; false if there is nothing that it could
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

  World* world_;
  Brokers* brokers_;
  const Hosts* hosts_;
};

}  // namespace penstock::simulated
