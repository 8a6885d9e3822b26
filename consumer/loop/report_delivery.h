// Delivers what handlers report to the tenures that started them. A report waits
// (DeferredReports) while the partition's next commit has no room for another outcome.
//
// Belongs to the loop's thread.
#pragma once

#include "consumer/loop/partitions/partitions.h"
#include "consumer/loop/tenure_rounds.h"

namespace penstock {

class ReportDelivery {
 public:
  ReportDelivery(Partitions& partitions, TenureRounds& rounds)
      : partitions_(partitions), rounds_(rounds) {}

  // A new drain of the mailbox begins, with what was deferred in the one before.
  void begin(Now now);
  void deliver(HandlerMessage message, Now now);

 private:
  // Attempts that end together would otherwise start together and end together again, and each
  // would have to wait until all of their reports have been processed.
  static constexpr int kMessagesBeforeStarts = 4;

  void deliver_deferred(HeldPartition& held, Now now);
  void start_between_messages(Now now);

  Partitions& partitions_;
  TenureRounds& rounds_;
  int delivered_ = 0;  // in this drain
};

}  // namespace penstock
