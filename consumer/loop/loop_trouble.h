// Why a loop does not work, for /readyz, and what its outboxes cannot deliver. Checked from
// time to time, so what it shows may be slightly outdated.
//
// Belongs to the loop's thread.
#pragma once

#include <string>

#include "consumer/loop/partitions/partitions.h"
#include "consumer/loop/undelivered.h"

namespace penstock {

class LoopTrouble {
 public:
  LoopTrouble(const std::string& queue, LoopHost& host) : queue_(queue), host_(host) {}

  void look_if_due(const Partitions& partitions, Instant now);
  // Empty: the loop works.
  [[nodiscard]] const std::string& text() const { return text_; }
  [[nodiscard]] const Undelivered& undelivered() const { return undelivered_; }

 private:
  static constexpr std::chrono::milliseconds kLookEvery{500};

  const std::string& queue_;
  LoopHost& host_;
  Undelivered undelivered_;
  std::string text_;
  Instant look_at_{};
};

}  // namespace penstock
