#include "tests/simulation/checker/checked_run.h"

#include "tests/simulation/checks/flow/shared_checks.h"

namespace penstock::simulation {

CheckedRun::CheckedRun(const Settings& settings, SimulatedCluster& cluster)
    : settings_(settings), cluster_(cluster), model_(settings.queue.partitions) {
  for (PartitionId id = 0; id < settings.queue.partitions; ++id) {
    references_.push_back(std::make_unique<Reference>(names().topic(), id));
  }
  for (PartitionId id = 0; id < kOwnerPartitions; ++id) {
    owners_.push_back(std::make_unique<Reference>(slots_topic(kPrefix), id));
  }
}

}  // namespace penstock::simulation
