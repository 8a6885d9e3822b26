// Checks bulks: the job that a bulk asks for is produced once, when all of its chunks have ended,
// and says how they ended; the id of a forgotten bulk can be used again. One thread.
#pragma once

#include <functional>

#include "tests/simulation/checker/checked_run.h"

namespace penstock::simulation {

class BulkChecks {
 public:
  explicit BulkChecks(CheckedRun& run) : run_(run) {}

  // An honoured commit produces the job of a bulk whose chunks have all ended.
  void on_done(std::function<void(const Bulk&)> tell) { tell_ = std::move(tell); }
  // It may be such a job. The ends of the commit have been counted.
  void produced(const CommitFacts& facts, const Produced& message);
  void check_end();

 private:
  [[nodiscard]] bool may_be_new(const Bulk& bulk) const;
  [[nodiscard]] std::string on_done_id(PartitionId partition, const Bulk& bulk) const;

  CheckedRun& run_;
  std::function<void(const Bulk&)> tell_;
};

}  // namespace penstock::simulation
