// Sends a crash notice for each job that was in flight when the previous process crashed, and tells
// the process where the notice is in the log (docs/decisions/crash-notices.md).
//
// Belongs to the loop's thread.
#pragma once

#include <map>

#include "consumer/loop/crash_notices.h"
#include "consumer/loop/tenure/loop_options.h"
#include "consumer/loop/tenure/tenure_parts.h"

namespace penstock {

class CrashReporter {
 public:
  CrashReporter(const LoopOptions& options, TenureParts& parts)
      : options_(options), parts_(parts) {}

  void send(const InFlight& job);
  void on_appended(Ticket ticket, const Appended& result);
  // What has been sent will not be answered any more.
  void forget_all();

 private:
  const LoopOptions& options_;
  TenureParts& parts_;
  std::map<Ticket, InFlight> sent_;  // without an answer yet
};

}  // namespace penstock
