// Lets so much time go by as executors count it: an attempt that hangs is started, and times out.
#pragma once

#include <gtest/gtest.h>

#include "consumer/handlers/native/builtin_executor.h"
#include "consumer/policy/error_pattern.h"
#include "test_mailbox.h"

namespace penstock {

inline void wait_for_timeout(Duration timeout) {
  TestMailbox mailbox;
  SleepExecutor sleeper(SleepHandler{std::chrono::hours(1)});
  AttemptRequest attempt = request(99);
  attempt.timeout = timeout;
  sleeper.start(std::move(attempt), mailbox);
  EXPECT_EQ(as<RetryLater>(mailbox.outcome()).error_class, kTimeoutError);
}

}  // namespace penstock
