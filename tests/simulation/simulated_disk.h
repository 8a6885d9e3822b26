// The rows of a worker's partitions on its host's disk, and the stores that are open on them. What a
// store holds outlives a tenure and a process that ends well; a crash leaves an earlier snapshot of
// every store, or nothing. The checker sees what is applied.
//
// Beside the rows are the last tenures, for a process that comes back in place, and the lock under
// which they are kept (consumer/worker/in_place). One thread.
#pragma once

#include <algorithm>
#include <cstddef>
#include <map>
#include <memory>

#include "state/owner/predecessor.h"
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

  // The process takes the lock if nothing of an earlier one holds it. True: it has it.
  bool take_lock(Instant now);
  // Something that the process has started holds the lock as well, whether it has it or not.
  void hold_lock(Instant until) { lock_.free_at = std::max(lock_.free_at, until); }
  // What an earlier process has left; empty without the lock.
  [[nodiscard]] LastTenure left(PartitionId partition) const;
  void keep(PartitionId partition, const LastTenure& tenure);

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
  using Tenures = std::map<PartitionId, LastTenure>;
  struct Lock {
    bool taken = false;
    Instant free_at{};
    Tenures file, left, own;
  };
  Lock lock_;
};

}  // namespace penstock::simulation
