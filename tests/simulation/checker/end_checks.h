// Checks the end of a run: nothing is left, and nothing is missing. One thread.
#pragma once

#include <string>

#include "tests/simulation/checker/bulk_checks.h"
#include "tests/simulation/checker/checked_run.h"
#include "tests/simulation/checker/feature_checks.h"
#include "tests/simulation/checker/message_checks.h"

namespace penstock::simulation {

class EndChecks {
 public:
  EndChecks(CheckedRun& run, FeatureChecks& features, MessageChecks& messages, BulkChecks& bulks)
      : run_(run), features_(features), messages_(messages), bulks_(bulks) {}

  [[nodiscard]] bool all_done();
  void check_end();

 private:
  [[nodiscard]] std::string not_done();
  [[nodiscard]] std::string slots_left() const;
  [[nodiscard]] std::string kept_too_long(const Reference& reference) const;
  void check_rows(const Reference& reference);
  void check_format(const Reference& reference, const std::string& queue);

  CheckedRun& run_;
  FeatureChecks& features_;
  MessageChecks& messages_;
  BulkChecks& bulks_;
};

}  // namespace penstock::simulation
