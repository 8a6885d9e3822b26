// The rows of a worker's partitions on its host's disk, and the stores that are open on them. What a
// store holds outlives a tenure and a process that ends well; a crash leaves an earlier snapshot of
// every store, or nothing. The checker sees what is applied. One thread.
#pragma once

#include <cstddef>
#include <map>
#include <memory>

#include "state/store/memory_store.h"
#include "tests/simulation/checker/store_checks.h"
#include "topics/simulated/world/random.h"

namespace penstock::simulation {

class SimulatedDisk {
 public:
  // `host`: its index.
  SimulatedDisk(std::uint64_t seed, std::size_t host, StoreChecks& checks);
  ~SimulatedDisk();

  [[nodiscard]] std::unique_ptr<Store> open(PartitionId partition);
  [[nodiscard]] Status close(PartitionId partition);
  [[nodiscard]] const MemoryStore::Contents& contents(PartitionId partition) const;

  // The process is about to end by itself, with its stores as they are.
  void keep_open_stores();
  // The process is gone, and its stores with it.
  void process_ended();
  // Of what was written before, a crash leaves this.
  void crashed();

 private:
  class CheckedStore;

  const std::size_t host_;
  StoreChecks& checks_;
  simulated::Random random_;
  std::map<PartitionId, CheckedStore*> open_;
  std::map<PartitionId, MemoryStore::Contents> closed_;
  std::map<PartitionId, MemoryStore::Contents> snapshots_;  // what a crash leaves
};

}  // namespace penstock::simulation
