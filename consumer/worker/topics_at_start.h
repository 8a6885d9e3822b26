// Whether the topics of a queue are there and configured correctly when a worker starts. A broker may
// not know a topic right after the topic was created, or after its own start, so a missing one is
// looked for several times.
//
// Used from one thread.
#pragma once

#include <string>
#include <vector>

#include "consumer/policy/policy.h"
#include "topics/log.h"
#include "topics/topic_check.h"

namespace penstock {

class TopicsAtStart {
 public:
  // The log must outlive this.
  TopicsAtStart(Log& log, std::string prefix) : log_(log), prefix_(std::move(prefix)) {}

  // What is wrong and remains so until somebody mends it; empty: nothing. An error: it cannot be told
  // yet, and is to be asked again.
  [[nodiscard]] Result<std::vector<Deviation>> check(const QueuePolicy& policy);

 private:
  static constexpr int kMaxMissingAsks = 5;

  Log& log_;
  std::string prefix_;
  int missing_asks_ = 0;
};

}  // namespace penstock
