// Checks the rows of workers and standbys against the honoured history: a host counts only honoured
// commits, and the rows at a claim, and those of a standby, are those of the history. One thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "state/store/memory_store.h"
#include "tests/simulation/checker/checked_run.h"

namespace penstock::simulation {

class StoreChecks {
 public:
  explicit StoreChecks(CheckedRun& run) : run_(run) {}

  // A host writes a record's rows: as the owner that counts it, or `restoring` what the log holds.
  void applied(std::size_t host, PartitionId partition, const LogPosition& position,
               bool restoring);
  void restored(std::size_t host, PartitionId partition, Offset epoch,
                const MemoryStore::Contents& contents);
  // A host forgets a copy of the rows for good.
  void discarded(std::size_t host, PartitionId partition, const std::optional<LogPosition>& copy);
  // A reader from the log's start has read up to `goal`.
  void standby(PartitionId partition, std::int64_t goal, std::uint64_t digest, std::uint64_t seq,
               bool whole);

 private:
  CheckedRun& run_;
};

}  // namespace penstock::simulation
