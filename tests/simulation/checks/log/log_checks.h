// How long a state log is, against what its owners say in each commit: they trim by that. One
// thread.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "tests/simulation/reference_store.h"
#include "tests/simulation/rules.h"
#include "topics/values/types.h"

namespace penstock::simulation {

class LogChecks {
 public:
  explicit LogChecks(Rules& rules) : rules_(rules) {}

  // Every record in turn; `bytes` are 0 of one that is no honoured commit.
  void appended(PartitionId partition, std::size_t bytes);
  // An honoured commit has led to these rows, and is the last record.
  void committed(PartitionId partition, const ReferenceStore& store);

 private:
  Rules& rules_;
  std::map<PartitionId, std::vector<std::uint64_t>> ends_;  // bytes up to each record's end
};

}  // namespace penstock::simulation
