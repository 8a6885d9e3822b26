// Checks each honoured commit: the jobs that it ends, the input that it takes, the messages that it
// produces, and that its rows fit together. It notes in the model what the commit says of a job.
// One thread.
#pragma once

#include "tests/simulation/checker/bulk_checks.h"
#include "tests/simulation/checker/checked_run.h"
#include "tests/simulation/checker/feature_checks.h"
#include "tests/simulation/checker/message_checks.h"
#include "tests/simulation/checker/share_checks.h"

namespace penstock::simulation {

class CommitChecks {
 public:
  CommitChecks(CheckedRun& run, FeatureChecks& features, MessageChecks& messages, BulkChecks& bulks,
               ShareChecks& shares)
      : run_(run), features_(features), messages_(messages), bulks_(bulks), shares_(shares) {}

  // By an owner of one of the queue's partitions.
  void committed(const CommitFacts& facts);
  // By an owner of one of the slots topic's.
  void owner_committed(const CommitFacts& facts);

 private:
  void produced(const CommitFacts& facts, const Produced& message);
  void buried(const CommitFacts& facts, const Produced& message, const std::string& reason);
  void ended(const CommitFacts& facts, const Digest& digest);
  void input_taken(const CommitFacts& facts, Offset offset);
  void stop_taken(const CommitFacts& facts, Job& job, Op op);
  void check_deleted(const CommitFacts& facts, const Job& job, bool had_lock);
  void check_rows(const CommitFacts& facts, const ReferenceStore& store);

  CheckedRun& run_;
  FeatureChecks& features_;
  MessageChecks& messages_;
  BulkChecks& bulks_;
  ShareChecks& shares_;
};

}  // namespace penstock::simulation
