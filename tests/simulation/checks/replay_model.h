// What a replay is to copy: worked out from the records that its ranges have, by the rules of
// docs/replay.md and not by the product's code. One thread.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "consumer/replay/replay_record.h"
#include "state/rows/digest.h"
#include "topics/record/job_decoder.h"
#include "topics/simulated/cluster.h"

namespace penstock::simulation {

// One copy, with what has become of it so far.
struct Copy {
  std::string replay, account, id, of, type;
  PartitionId home = 0;
  Offset offset{-1};              // of the first record of it that lies at home
  std::set<std::string> sources;  // where its records were first stored
  bool plain = true;              // no time, no expiry, no command
  int sent = 0;                   // records of it that lie elsewhere
  int twins = 0;                  // jobs of its identity that are no copies
  int reruns = 0;                 // `retry` commands
  int starts = 0, ends = 0;
  std::int64_t ended_in = -1;  // the last end's epoch
};

[[nodiscard]] std::string name_of(const Copy& copy);

struct ReplayPlan {
  std::string name;
  ReplayRecord record;               // the newest
  std::vector<ReplayCounts> counts;  // by partition: what it finds there, without what it does
  bool was_cancelled = false;
};

class ReplayModel {
 public:
  using Copies = std::map<Digest, Copy>;

  ReplayModel(const SimulatedCluster& cluster, int partitions)
      : cluster_(cluster), partitions_(partitions) {}

  // A replay begins. Adds what it is to copy.
  [[nodiscard]] ReplayPlan plan(const std::string& name, const ReplayRecord& record,
                                Copies& copies);

 private:
  void read(ReplayPlan& plan, PartitionId partition, const LogRecord& record, Copies& copies);
  void add(const ReplayPlan& plan, PartitionId partition, const LogRecord& record,
           const JobRecord& job, Copies& copies);

  const SimulatedCluster& cluster_;
  const int partitions_;
  JobDecoder decoder_;
};

}  // namespace penstock::simulation
